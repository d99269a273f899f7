import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** An embed token that was ended before it expires. */
@Entity('revoked_embed_token')
@Index(['expiresAt'])
export class RevokedEmbedToken {
  @ForeignKey('user_group', { onDelete: 'CASCADE' })
  @PrimaryColumn('integer')
  userGroupId!: number;

  @PrimaryColumn({ type: 'varchar', length: 64, collation: 'C' }) jti!: string;
  @Column('bigint') expiresAt!: number;
}

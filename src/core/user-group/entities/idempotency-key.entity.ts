import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A rotation done under an `Idempotency-Key`, with everything in its response except the token. */
@Entity('idempotency_key')
@Index(['userGroupId'])
@Index(['createdAt'])
export class IdempotencyKey {
  @PrimaryColumn('integer') workspaceId!: number;

  /** SHA-256 of API token and key, which might be a secret of the caller. */
  @PrimaryColumn('blob') keyHash!: Buffer;
  @Column('blob') requestHash!: Buffer;

  @ForeignKey('user_group', { onDelete: 'CASCADE' })
  @Column('integer')
  userGroupId!: number;
  @Column('integer') generation!: number;
  @Column('text') name!: string;
  @Column('bigint') createdAt!: number;
}

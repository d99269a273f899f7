import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserGroup } from './user-group.entity';

/** One generation of a user group's token; exactly one generation of a group is current. */
@Entity('user_group_token')
@Index('user_group_token_token_hash_workspace_id_key', ['tokenHash', 'workspaceId'], {
  unique: true,
})
@Index('user_group_token_current_key', ['userGroupId'], {
  unique: true,
  where: '"retired_at" IS NULL',
})
@Index('user_group_token_key_id_idx', ['keyId'])
export class UserGroupToken {
  @PrimaryColumn('integer', {
    name: 'user_group_id',
    primaryKeyConstraintName: 'user_group_token_pkey',
  })
  userGroupId!: number;

  @ManyToOne(() => UserGroup, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'user_group_id',
    foreignKeyConstraintName: 'user_group_token_user_group_id_fkey',
  })
  userGroup?: never;

  /** That of its group; here for the unique index, and filled by the database where it is left out. */
  @Column('integer', { name: 'workspace_id', nullable: true })
  workspaceId!: number;

  /** 1 for the token issued with the group, one more for each rotation. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'user_group_token_pkey' })
  generation!: number;

  /** SHA-256 of the token: how a token is found. */
  @Column('blob', { name: 'token_hash' })
  tokenHash!: Buffer;

  /** The encrypted token, as the contract returns it on each GET; erased when it is retired. */
  @Column('blob', { nullable: true })
  ciphertext!: Buffer | null;

  /** Which key of the ring encrypted it; null once the ciphertext is erased. */
  @Column('varchar', { name: 'key_id', length: 32, nullable: true })
  keyId!: string | null;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** When another generation took its place; null for the current one. */
  @Column('bigint', { name: 'retired_at', nullable: true })
  retiredAt!: number | null;

  /** The API token that rotated it away; null for the command line and for early versions. */
  @Column('integer', { name: 'retired_by', nullable: true })
  retiredBy!: number | null;

  /** Until when a retired generation can still be introspected; null is not at all. */
  @Column('bigint', { name: 'valid_until', nullable: true })
  validUntil!: number | null;

  /** When its overlap was ended early; null if it was not. */
  @Column('bigint', { name: 'revoked_at', nullable: true })
  revokedAt!: number | null;

  /** The API token that ended the overlap; null for the command line. */
  @Column('integer', { name: 'revoked_by', nullable: true })
  revokedBy!: number | null;

  /** Written at most once a minute, after the fact. */
  @Column('bigint', { name: 'last_introspected_at', nullable: true })
  lastIntrospectedAt!: number | null;

  /** The token's last four characters, so that people can tell tokens apart. */
  @Column('varchar', { name: 'last_four', length: 4, nullable: true })
  lastFour!: string | null;
}

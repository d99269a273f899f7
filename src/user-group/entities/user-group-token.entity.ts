import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserGroup } from './user-group.entity.ts';

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
@Index('user_group_token_valid_until_idx', ['validUntil'], { where: '"valid_until" IS NOT NULL' })
@Index('user_group_token_overlap_idx', ['workspaceId', 'validUntil', 'userGroupId', 'generation'], {
  where: '"valid_until" IS NOT NULL',
})
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

  /** The workspace of its group: for the unique index, and filled in by the database where it is left out. */
  @Column('integer', { name: 'workspace_id', nullable: true })
  workspaceId!: number;

  /** 1 for the first token of the group, one more after each rotation. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'user_group_token_pkey' })
  generation!: number;

  /** SHA-256 of the token, by which it is found. */
  @Column('blob', { name: 'token_hash' })
  tokenHash!: Buffer;

  /** The encrypted token, as the contract returns it on each GET; erased when it is retired. */
  @Column('blob', { nullable: true })
  ciphertext!: Buffer | null;

  /** The key that encrypted it; null once the ciphertext is erased. */
  @Column('varchar', { name: 'key_id', length: 32, nullable: true })
  keyId!: string | null;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** When another generation replaced it; null for the current one. */
  @Column('bigint', { name: 'retired_at', nullable: true })
  retiredAt!: number | null;

  /** The API token that rotated it; null for the command line and for early versions. */
  @Column('integer', { name: 'retired_by', nullable: true })
  retiredBy!: number | null;

  /** Until when a retired generation can still be introspected; null for not at all. */
  @Column('bigint', { name: 'valid_until', nullable: true })
  validUntil!: number | null;

  /** When its overlap was ended early; null if it was not. */
  @Column('bigint', { name: 'revoked_at', nullable: true })
  revokedAt!: number | null;

  /** The API token that ended the overlap; null for the command line. */
  @Column('integer', { name: 'revoked_by', nullable: true })
  revokedBy!: number | null;

  /** Updated at most once a minute, after the call. */
  @Column('bigint', { name: 'last_introspected_at', nullable: true })
  lastIntrospectedAt!: number | null;

  /** The token's last four characters, so that people can tell tokens apart. */
  @Column('varchar', { name: 'last_four', length: 4, nullable: true })
  lastFour!: string | null;
}

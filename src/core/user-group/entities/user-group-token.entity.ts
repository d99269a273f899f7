import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** One generation of a user group's token; exactly one generation of a group is current. */
@Entity('user_group_token')
@Index('user_group_token_token_hash_workspace_id_key', ['tokenHash', 'workspaceId'], {
  unique: true,
})
@Index('user_group_token_current_key', ['userGroupId'], {
  unique: true,
  where: '"retired_at" IS NULL',
})
@Index(['keyId'])
@Index(['validUntil'], { where: '"valid_until" IS NOT NULL' })
@Index('user_group_token_overlap_idx', ['workspaceId', 'validUntil', 'userGroupId', 'generation'], {
  where: '"valid_until" IS NOT NULL',
})
export class UserGroupToken {
  @ForeignKey('user_group', { onDelete: 'CASCADE' })
  @PrimaryColumn('integer')
  userGroupId!: number;

  /** The workspace of its group, for the unique index. */
  @Column('integer') workspaceId!: number;

  /** The `tokensEpoch` of its workspace when it was issued. */
  @Column('integer', { default: 0 }) epoch!: number;

  /** 1 for the first token of the group, one more after each rotation. */
  @PrimaryColumn('integer') generation!: number;
  @Column('blob') tokenHash!: Buffer;

  /** The encrypted token, which the contract returns on each GET; erased when the token is retired. */
  @Column('blob', { nullable: true }) ciphertext!: Buffer | null;

  /** The key that encrypted it; null once the ciphertext is erased. */
  @Column({ type: 'varchar', length: 32, collation: 'C', nullable: true }) keyId!: string | null;
  @Column('bigint') createdAt!: number;
  @Column('bigint', { nullable: true }) retiredAt!: number | null;

  /** The API token that rotated it; null for the command line. */
  @Column('integer', { nullable: true }) retiredBy!: number | null;

  /** End of the overlap of a retired generation; null without one. */
  @Column('bigint', { nullable: true }) validUntil!: number | null;

  /** Time when its overlap was ended early, or null. */
  @Column('bigint', { nullable: true }) revokedAt!: number | null;

  /** The API token that ended the overlap; null for the command line. */
  @Column('integer', { nullable: true }) revokedBy!: number | null;

  /** Updated at most once a minute, after the call. */
  @Column('bigint', { nullable: true }) lastIntrospectedAt!: number | null;

  /** The last four characters, so that people can tell tokens apart. */
  @Column('varchar', { length: 4 }) lastFour!: string;
}

import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A call that was done under an `Idempotency-Key`, with what its response is made of again. */
@Entity('idempotency_key')
@Index(['userGroupId'], { where: '"user_group_id" IS NOT NULL' })
@Index('idempotency_key_api_token_idx', ['workspaceId', 'apiTokenId', 'createdAt'], {
  where: '"api_token_id" IS NOT NULL',
})
@Index(['createdAt'])
export class IdempotencyKey {
  @PrimaryColumn('integer') workspaceId!: number;

  /** SHA-256 of API token and key, which might be a secret of the caller. */
  @PrimaryColumn('blob') keyHash!: Buffer;
  @Column('blob') requestHash!: Buffer;
  @Column('bigint') createdAt!: number;

  /** The API token whose responses are counted; null for the operator and for a rotation. */
  @Column('integer', { nullable: true }) apiTokenId!: number | null;
  /** The response, encrypted, since it can contain a secret; null for a rotation. */
  @Column('varchar', { length: 32, nullable: true }) keyId!: string | null;
  @Column('blob', { nullable: true }) ciphertext!: Buffer | null;

  /** Everything in the response of a rotation except the token; null for another call. */
  @ForeignKey('user_group', { onDelete: 'CASCADE' })
  @Column('integer', { nullable: true })
  userGroupId!: number | null;
  @Column('integer', { nullable: true }) generation!: number | null;
  @Column('text', { nullable: true }) name!: string | null;
}

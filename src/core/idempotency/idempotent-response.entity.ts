import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** The response of a call with an `Idempotency-Key`, encrypted, since it can contain a secret. */
@Entity('idempotent_response')
@Index(['createdAt'])
@Index('idempotent_response_api_token_idx', ['workspaceId', 'apiTokenId', 'createdAt'])
export class IdempotentResponse {
  @ForeignKey('workspace', { onDelete: 'CASCADE' })
  @PrimaryColumn('integer')
  workspaceId!: number;

  /** SHA-256 of API token and key, which might be a secret of the caller. */
  @PrimaryColumn('blob') keyHash!: Buffer;
  /** The API token whose key it is; null for the operator. */
  @Column('integer', { nullable: true }) apiTokenId!: number | null;
  @Column('blob') requestHash!: Buffer;
  @Column('varchar', { length: 32 }) keyId!: string;
  @Column('blob') ciphertext!: Buffer;
  @Column('bigint') createdAt!: number;
}

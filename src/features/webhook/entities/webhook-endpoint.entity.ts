import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

@Entity('webhook_endpoint')
@Index('webhook_endpoint_workspace_id_idx', ['workspaceId', 'createdAt', 'id'])
@Index(['keyId'])
export class WebhookEndpoint {
  /** Random, so that it does not reveal how many endpoints other workspaces have. */
  @PrimaryColumn('integer') id!: number;

  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @Column('integer')
  workspaceId!: number;
  @Column('text') url!: string;
  @Column('text', { nullable: true }) description!: string | null;

  /** Globs, separated by spaces. */
  @Column('text') eventTypes!: string;
  @Column('varchar', { length: 3 }) signature!: 'v1' | 'v1a';

  /** The `v1a` key with which receivers verify signatures. */
  @Column('text', { nullable: true }) publicKey!: string | null;

  /** Its secrets and the values of its headers, encrypted. */
  @Column('blob') ciphertext!: Buffer;
  @Column({ type: 'varchar', length: 32, collation: 'C' }) keyId!: string;

  /** Names of its headers, separated by spaces. */
  @Column('text') headerNames!: string;

  /** End of the grace period of the previous secret, or null. */
  @Column('bigint', { nullable: true }) oldSecretUntil!: number | null;
  @Column('bigint', { nullable: true }) disabledAt!: number | null;

  /** `request`: by its administrator; `gone`: by its own 410; `failing`: it has failed for too long. */
  @Column('varchar', { length: 10, nullable: true })
  disabledReason!: 'request' | 'gone' | 'failing' | null;

  /** Time of the first failure since the last success, or null. */
  @Column('bigint', { nullable: true }) failingSince!: number | null;

  /** Time of the warning that it will be disabled, or null. */
  @Column('bigint', { nullable: true }) warnedAt!: number | null;

  /**
   * End of the pause, after which it gets one message at a time, because it has not responded or has asked for a pause;
   * null once it has responded.
   */
  @Column('bigint', { nullable: true }) pausedUntil!: number | null;

  /** Start of the overflow during which its events are dropped, or null. */
  @Column('bigint', { nullable: true }) skippingSince!: number | null;

  /** Time of its deletion, or null. A deleted endpoint is invisible until its deliveries and then its row are removed. */
  @Column('bigint', { nullable: true }) removedAt!: number | null;
  @Column('bigint') createdAt!: number;
  @Column('bigint') updatedAt!: number;
}

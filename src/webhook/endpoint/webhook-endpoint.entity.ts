import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Workspace } from '../../workspace/workspace.entity.ts';

/** Where a workspace wants to be told of its events. */
@Entity('webhook_endpoint')
@Index('webhook_endpoint_workspace_id_idx', ['workspaceId', 'createdAt', 'id'])
@Index('webhook_endpoint_key_id_idx', ['keyId'])
export class WebhookEndpoint {
  /** Random: it tells nothing of how many endpoints other workspaces have. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'webhook_endpoint_pkey' })
  id!: number;

  @Column('integer', { name: 'workspace_id' })
  workspaceId!: number;

  /** Declares the foreign key; code uses the id alone. */
  @ManyToOne(() => Workspace, { onDelete: 'RESTRICT' })
  @JoinColumn({
    name: 'workspace_id',
    foreignKeyConstraintName: 'webhook_endpoint_workspace_id_fkey',
  })
  workspace?: never;

  @Column('text')
  url!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  /** Globs, separated by spaces. */
  @Column('text', { name: 'event_types' })
  eventTypes!: string;

  @Column('varchar', { length: 3 })
  signature!: 'v1' | 'v1a';

  /** Of `v1a`, by which receivers verify. */
  @Column('text', { name: 'public_key', nullable: true })
  publicKey!: string | null;

  /** Its secrets and the values of its headers, encrypted. */
  @Column('blob')
  ciphertext!: Buffer;

  @Column('varchar', { name: 'key_id', length: 32 })
  keyId!: string;

  /** Names of its headers, separated by spaces. */
  @Column('text', { name: 'header_names' })
  headerNames!: string;

  /** Until when the secret before the last roll signs, too; null if there is none. */
  @Column('bigint', { name: 'old_secret_until', nullable: true })
  oldSecretUntil!: number | null;

  /** When it was switched off; null while it is on. */
  @Column('bigint', { name: 'disabled_at', nullable: true })
  disabledAt!: number | null;

  /** `request`: by who administers it; `gone`: by its own 410; `failing`: it has failed for too long. */
  @Column('varchar', { name: 'disabled_reason', length: 10, nullable: true })
  disabledReason!: 'request' | 'gone' | 'failing' | null;

  /** Since when every attempt has failed; null if the last did not. */
  @Column('bigint', { name: 'failing_since', nullable: true })
  failingSince!: number | null;

  /** When the workspace was warned that it will be switched off; null if it was not. */
  @Column('bigint', { name: 'warned_at', nullable: true })
  warnedAt!: number | null;

  /** Until when nothing is sent to it, and then one message at a time: it has not answered, or has asked for a pause; null once it has answered. */
  @Column('bigint', { name: 'paused_until', nullable: true })
  pausedUntil!: number | null;

  /** Since when events are left out, since too many deliveries wait; null if none are. */
  @Column('bigint', { name: 'skipping_since', nullable: true })
  skippingSince!: number | null;

  /** When it was deleted: nobody sees it any more, and its deliveries are removed before it is; null while it is there. */
  @Column('bigint', { name: 'removed_at', nullable: true })
  removedAt!: number | null;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}

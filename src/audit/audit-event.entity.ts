import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * One action that was done or refused. The database itself refuses to change a row, or to remove it
 * before `keepUntil`. It has no foreign keys: an event outlives its subject.
 */
@Entity('audit_event')
@Index('audit_event_workspace_id_occurred_at_idx', ['workspaceId', 'occurredAt', 'id'])
@Index('audit_event_workspace_id_object_id_idx', ['workspaceId', 'objectId'])
@Index('audit_event_workspace_id_request_id_idx', ['workspaceId', 'requestId'])
@Index('audit_event_keep_until_idx', ['keepUntil'])
export class AuditEvent {
  @PrimaryGeneratedColumn({ type: 'bigint', primaryKeyConstraintName: 'audit_event_pkey' })
  id!: number;

  /**
   * The number by which callers know it: random, since `id` counts the events of every workspace.
   * Null for events recorded before there were such numbers; callers then see `id`.
   */
  @Column('bigint', { name: 'public_id', nullable: true })
  publicId!: number | null;

  /** Null where no workspace is known: a refused call with an unknown token. */
  @Column('integer', { name: 'workspace_id', nullable: true })
  workspaceId!: number | null;

  @Column('bigint', { name: 'occurred_at' })
  occurredAt!: number;

  /** `noun.verb`. */
  @Column('text')
  action!: string;

  @Column('varchar', { name: 'actor_type', length: 16 })
  actorType!: 'api_token' | 'operator' | 'service' | 'unknown';

  @Column('integer', { name: 'api_token_id', nullable: true })
  apiTokenId!: number | null;

  @Column('text', { name: 'request_id', nullable: true })
  requestId!: string | null;

  @Column('text', { nullable: true })
  address!: string | null;

  @Column('text', { name: 'object_type', nullable: true })
  objectType!: string | null;

  @Column('text', { name: 'object_id', nullable: true })
  objectId!: string | null;

  /** JSON object: the fields that changed, as they were. */
  @Column('text', { nullable: true })
  before!: string | null;

  /** JSON object: the fields that changed, as they are now. */
  @Column('text', { nullable: true })
  after!: string | null;

  /** JSON object of further details. */
  @Column('text', { nullable: true })
  details!: string | null;

  /** The time before which the database refuses to delete the row; null for never. */
  @Column('bigint', { name: 'keep_until', nullable: true })
  keepUntil!: number | null;
}

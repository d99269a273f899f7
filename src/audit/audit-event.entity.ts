import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * One thing that was done, or refused. The database itself refuses to change a row, and to remove
 * it before `keepUntil`. No foreign keys: an event outlives what it tells of.
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
   * By which callers know it: drawn at random, since `id` counts the events of every workspace. Null
   * for events that were recorded before there were such numbers; then it is `id`.
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
  actorType!: 'api_token' | 'operator' | 'unknown';

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

  /** JSON object: what else there is to say. */
  @Column('text', { nullable: true })
  details!: string | null;

  /** Until when the database keeps the row whatever it is asked; null is for ever. */
  @Column('bigint', { name: 'keep_until', nullable: true })
  keepUntil!: number | null;
}

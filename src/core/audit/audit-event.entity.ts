import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * An action that was done or refused. The database refuses to change a row, or to remove it before `keepUntil`. The
 * table has no foreign keys: an event outlives its subject.
 */
@Entity('audit_event')
@Index('audit_event_workspace_id_occurred_at_idx', ['workspaceId', 'occurredAt', 'id'])
@Index(['workspaceId', 'objectId'])
@Index(['workspaceId', 'requestId'])
@Index(['keepUntil'])
export class AuditEvent {
  @PrimaryGeneratedColumn({ type: 'bigint' }) id!: number;

  /** The random number that callers see: `id` counts the events of every workspace. */
  @Column('bigint') publicId!: number;

  /** Null if the workspace is unknown: a refused call with an unknown token. */
  @Column('integer', { nullable: true }) workspaceId!: number | null;
  @Column('bigint') occurredAt!: number;
  @Column('text') action!: string;
  @Column('varchar', { length: 16 }) actorType!: 'api_token' | 'operator' | 'service' | 'unknown';
  @Column('integer', { nullable: true }) apiTokenId!: number | null;
  @Column({ type: 'text', collation: 'C', nullable: true }) requestId!: string | null;
  @Column('text', { nullable: true }) address!: string | null;
  @Column('text', { nullable: true }) objectType!: string | null;
  @Column({ type: 'text', collation: 'C', nullable: true }) objectId!: string | null;
  @Column('text', { nullable: true }) before!: string | null;
  @Column('text', { nullable: true }) after!: string | null;
  @Column('text', { nullable: true }) details!: string | null;

  /** The database refuses to delete the row before this time; null means never. */
  @Column('bigint', { nullable: true }) keepUntil!: number | null;
}

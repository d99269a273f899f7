import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A bulk change that the service does in the background. */
@Entity('bulk_job')
@Index(['workspaceId', 'createdAt', 'id'])
@Index(['turnAt'], { where: '"ended_at" IS NULL' })
@Index(['undoOf'], { where: '"undo_of" IS NOT NULL' })
@Index(['endedAt'])
export class BulkJob {
  /** Random, so that nobody can count the jobs of others. */
  @PrimaryColumn('integer') id!: number;

  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @Column('integer')
  workspaceId!: number;

  /** The API token by whose rights it works, and the first of its chain of rotations. */
  @ForeignKey('api_token', { onDelete: 'RESTRICT' })
  @Column('integer')
  apiTokenId!: number;
  @Column('integer') firstTokenId!: number;

  /** Request and address of the call that has created it, for the audit log and for the allowed addresses of its API token. */
  @Column('text', { nullable: true }) requestId!: string | null;
  @Column('text', { nullable: true }) address!: string | null;
  @Column('varchar', { length: 16 }) action!:
    'suspend' | 'resume' | 'rotate' | 'delete' | 'import' | 'restore';

  /** Size of the lines that it has brought; 0 unless it is an import. */
  @Column('integer', { default: 0 }) lineBytes!: number;

  /** JSON text of a `BulkJobRequest`. */
  @Column('text') request!: string;

  /** JSON text of the ids that the call has named; null if it has named none. */
  @Column('text', { nullable: true }) ids!: string | null;

  /** The job whose changes it undoes, which may have been removed since; null for another. */
  @Column('integer', { nullable: true }) undoOf!: number | null;

  /** The id of the group of the workspace that was created last before it. */
  @Column('integer') lastId!: number;

  /** The number of groups when it was created, or of lines; null if counting them would have taken long. */
  @Column('integer', { nullable: true }) total!: number | null;

  /** The place after the last part that is done as a whole; null at the beginning. */
  @Column('text', { nullable: true }) position!: string | null;
  @Column('integer', { default: 0 }) created!: number;
  @Column('integer', { default: 0 }) changed!: number;
  @Column('integer', { default: 0 }) unchanged!: number;
  @Column('integer', { default: 0 }) refused!: number;
  /** `receiving`: its lines arrive, and nobody sees it yet. */
  @Column('varchar', { length: 16, default: 'queued' }) state!:
    'receiving' | 'queued' | 'running' | 'done' | 'cancelled' | 'failed';

  /** Code and description of the reason for which it failed; null otherwise. */
  @Column('text', { nullable: true }) failureCode!: string | null;
  @Column('text', { nullable: true }) failureDetail!: string | null;
  @Column('bigint') createdAt!: number;
  @Column('bigint', { nullable: true }) startedAt!: number | null;
  @Column('bigint', { nullable: true }) endedAt!: number | null;

  /** The process that works on it, by a random number, and until when, by the clock of the database; 0 for none. An upload is abandoned then. */
  @Column('bigint', { default: 0 }) leaseOwner!: number;
  @Column('bigint', { default: 0 }) leaseUntil!: number;
  /** When it last had a turn; the one that has waited longest comes next. */
  @Column('bigint') turnAt!: number;
}

import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** The result of a job for one group, stored in the transaction of the change itself. */
@Entity('bulk_job_result')
export class BulkJobResult {
  @ForeignKey('bulk_job', { onDelete: 'CASCADE' })
  @PrimaryColumn('integer')
  jobId!: number;

  /** Its place in the order of the job: the id of the group, its number in the list of the call, or that of its line. */
  @PrimaryColumn('integer') place!: number;
  /** Null if the line of an import is refused, and has none that could be read. */
  @Column('text', { nullable: true }) providedId!: string | null;

  /** Null if there was no such group. */
  @Column('integer', { nullable: true }) teamId!: number | null;
  @Column('varchar', { length: 16 }) result!: 'created' | 'changed' | 'unchanged' | 'refused';

  /** Code and description of the refusal; null otherwise. */
  @Column('text', { nullable: true }) code!: string | null;
  @Column('text', { nullable: true }) detail!: string | null;

  /** Versions of the group; null if there was, or is, none. */
  @Column('integer', { nullable: true }) versionBefore!: number | null;
  @Column('integer', { nullable: true }) versionAfter!: number | null;
  /** 1 if the line of an import has replaced the token of the group, otherwise 0. */
  @Column('integer', { default: 0 }) tokenReplaced!: number;
}

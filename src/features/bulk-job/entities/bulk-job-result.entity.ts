import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** The result of a job for one group, stored in the transaction of the change itself. */
@Entity('bulk_job_result')
export class BulkJobResult {
  @ForeignKey('bulk_job', { onDelete: 'CASCADE' })
  @PrimaryColumn('integer')
  jobId!: number;

  /** Its place in the order of the job: the id of the group, or its number in the list of the call. */
  @PrimaryColumn('integer') place!: number;
  @Column('text') providedId!: string;

  /** Null if there was no such group. */
  @Column('integer', { nullable: true }) teamId!: number | null;
  @Column('varchar', { length: 16 }) result!: 'changed' | 'unchanged' | 'refused';

  /** Code and description of the refusal; null otherwise. */
  @Column('text', { nullable: true }) code!: string | null;
  @Column('text', { nullable: true }) detail!: string | null;

  /** Versions of the group; null if there was, or is, none. */
  @Column('integer', { nullable: true }) versionBefore!: number | null;
  @Column('integer', { nullable: true }) versionAfter!: number | null;
}

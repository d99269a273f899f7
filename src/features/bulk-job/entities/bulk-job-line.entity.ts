import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** Lines of an import that wait: a part of them, removed in the transaction that stores its last result. */
@Entity('bulk_job_line')
@Unique('bulk_job_line_job_id_part_key', ['jobId', 'part'])
@Index(['keyId'])
export class BulkJobLine {
  @PrimaryGeneratedColumn() id!: number;

  @ForeignKey('bulk_job', { onDelete: 'CASCADE' })
  @Column('integer')
  jobId!: number;

  /** Its number in the job, from 1. */
  @Column('integer') part!: number;

  /** The lines, encrypted, since they can have tokens and secrets. */
  @Column('blob') ciphertext!: Buffer;
  @Column({ type: 'varchar', length: 32, collation: 'C' }) keyId!: string;
}

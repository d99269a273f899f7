import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The time up to which sweeps may remove what has expired; one row. */
@Entity('sweep_time')
export class SweepTimeRecord {
  @PrimaryColumn('integer') id!: number;
  @Column('bigint') reachedAt!: number;

  /** Time of the last sweep, by its clock. */
  @Column('bigint') seenAt!: number;

  /** Time that the clock has run on since a step ahead of `reachedAt`, in milliseconds; 0 while there was none. */
  @Column('bigint') proofMs!: number;
}

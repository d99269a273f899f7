import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * That something has been announced which nobody has done, so that it is announced once; or that all of
 * what follows from an event has been.
 */
@Entity('notice')
@Index('notice_at_idx', ['at'])
export class Notice {
  /** The kind of the event. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'notice_pkey' })
  kind!: string;

  /** What the event is about, down to the moment that is announced; the number of the event that is done with. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'notice_pkey' })
  subject!: string;

  @Column('bigint')
  at!: number;
}

import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Marks a reminder as sent, or an event as handled, so that it happens once. The table is named `notice`. */
@Entity('notice')
@Index(['at'])
export class Reminder {
  @PrimaryColumn('text') kind!: string;

  /** The thing and its moment, or the number of the handled event. */
  @PrimaryColumn('text') subject!: string;
  @Column('bigint') at!: number;
}

import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Marks a reminder as sent, or an event as handled, so that it happens once. */
@Entity('reminder')
@Index(['at'])
export class Reminder {
  @PrimaryColumn({ type: 'text', collation: 'C' }) kind!: string;

  /** The object and its moment, or the number of the handled event. */
  @PrimaryColumn({ type: 'text', collation: 'C' }) subject!: string;
  @Column('bigint') at!: number;
}

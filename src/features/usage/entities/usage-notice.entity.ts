import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An event that tells that a group is near a limit or has reached it, so that it is recorded once. */
@Entity('usage_notice')
@Index(['endAt'])
export class UsageNotice {
  @PrimaryColumn('integer') userGroupId!: number;
  @PrimaryColumn({ type: 'varchar', length: 20, collation: 'C' }) limitName!: string;

  /** The begin of the day or month, in milliseconds since 1970, like the end. */
  @PrimaryColumn('bigint') startAt!: number;

  /** A limit that is changed has events of its own. */
  @PrimaryColumn('bigint') limitValue!: number;
  @PrimaryColumn({ type: 'varchar', length: 7, collation: 'C' }) level!: string;
  @Column('bigint') endAt!: number;
}

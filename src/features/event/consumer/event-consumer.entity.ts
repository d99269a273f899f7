import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Position of a durable consumer in the change log, and the process that has its lease. */
@Entity('event_consumer')
export class EventConsumerRecord {
  @PrimaryColumn({ type: 'varchar', length: 100, collation: 'C' }) name!: string;

  /** The position after all handled events. */
  @Column('text') position!: string;

  /** The subscription that has the lease, or null. */
  @Column('varchar', { length: 36, nullable: true }) leaseOwner!: string | null;

  /** The lease expires then. */
  @Column('bigint', { nullable: true }) leaseUntil!: number | null;
  @Column('bigint') createdAt!: number;
  @Column('bigint') updatedAt!: number;
}

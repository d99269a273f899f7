import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far a durable consumer has handled the change log, and which process does so now. */
@Entity('event_consumer')
export class EventConsumerRecord {
  @PrimaryColumn('varchar', { length: 100, primaryKeyConstraintName: 'event_consumer_pkey' })
  name!: string;

  /** Behind everything that has been handled. */
  @Column('text')
  position!: string;

  /** The subscription that handles events; null if none does. */
  @Column('varchar', { name: 'lease_owner', length: 36, nullable: true })
  leaseOwner!: string | null;

  /** From then on another may take its place. */
  @Column('bigint', { name: 'lease_until', nullable: true })
  leaseUntil!: number | null;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** When the position was stored. */
  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}

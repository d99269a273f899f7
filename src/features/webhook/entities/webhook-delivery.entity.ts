import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** One event for one endpoint; kept for a while after it has arrived. */
@Entity('webhook_delivery')
@Unique(['endpointId', 'eventId'])
@Index('webhook_delivery_due_at_idx', ['endpointId', 'dueAt'], { where: '"due_at" IS NOT NULL' })
@Index(['occurredAt'])
@Index(['endpointId', 'occurredAt', 'id'])
export class WebhookDelivery {
  @PrimaryGeneratedColumn({ type: 'bigint' }) id!: number;

  @ForeignKey('webhook_endpoint', { onDelete: 'CASCADE' })
  @Column('integer')
  endpointId!: number;

  /** The change's id: the same for every attempt and endpoint. */
  @Column('bigint') eventId!: number;
  @Column('text') kind!: string;

  /** The exact bytes of the message. */
  @Column('text') body!: string;
  @Column('bigint') occurredAt!: number;
  @Column('varchar', { length: 9 }) state!: 'pending' | 'delivered' | 'failed';

  /** Number of attempts begun. Identifies the holder of the lease. */
  @Column('integer') attempts!: number;

  /** Number of attempts before the current schedule, which a replay restarts. */
  @Column('integer') scheduleFrom!: number;

  /** Time of the next attempt; null unless the delivery is pending. */
  @Column('bigint', { nullable: true }) dueAt!: number | null;

  /** End of the lease of the running attempt, or null. */
  @Column('bigint', { nullable: true }) leasedUntil!: number | null;
}

import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';
import { WebhookEndpoint } from '../endpoint/webhook-endpoint.entity.ts';

/** One event on its way to one endpoint; kept for a while after it has arrived. */
@Entity('webhook_delivery')
@Unique('webhook_delivery_endpoint_id_event_id_key', ['endpointId', 'eventId'])
@Index('webhook_delivery_due_at_idx', ['endpointId', 'dueAt'], { where: '"due_at" IS NOT NULL' })
@Index('webhook_delivery_occurred_at_idx', ['occurredAt'])
@Index('webhook_delivery_endpoint_id_occurred_at_id_idx', ['endpointId', 'occurredAt', 'id'])
export class WebhookDelivery {
  @PrimaryGeneratedColumn({ type: 'bigint', primaryKeyConstraintName: 'webhook_delivery_pkey' })
  id!: number;

  @Column('integer', { name: 'endpoint_id' })
  endpointId!: number;

  @ManyToOne(() => WebhookEndpoint, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'endpoint_id',
    foreignKeyConstraintName: 'webhook_delivery_endpoint_id_fkey',
  })
  endpoint?: never;

  /** That of the change: the same for every attempt, and every endpoint. */
  @Column('bigint', { name: 'event_id' })
  eventId!: number;

  /** `noun.verb`. */
  @Column('text')
  kind!: string;

  /** What is sent, to the byte. */
  @Column('text')
  body!: string;

  @Column('bigint', { name: 'occurred_at' })
  occurredAt!: number;

  @Column('varchar', { length: 9 })
  state!: 'pending' | 'delivered' | 'failed';

  /** How many attempts have begun; grows with each, so that the number tells who holds the lease. */
  @Column('integer')
  attempts!: number;

  /** How many there had been when its schedule began anew, by a replay. */
  @Column('integer', { name: 'schedule_from' })
  scheduleFrom!: number;

  /** When the next attempt may begin; null unless it is pending. */
  @Column('bigint', { name: 'due_at', nullable: true })
  dueAt!: number | null;

  /** Until when nobody else begins an attempt; null if none is under way. */
  @Column('bigint', { name: 'leased_until', nullable: true })
  leasedUntil!: number | null;
}

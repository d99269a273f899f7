import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { WebhookDelivery } from './webhook-delivery.entity.ts';

/** One attempt of a delivery, and what came of it. */
@Entity('webhook_attempt')
@Index('webhook_attempt_endpoint_id_idx', ['endpointId', 'at', 'eventId', 'number'])
export class WebhookAttempt {
  @PrimaryColumn('bigint', {
    name: 'delivery_id',
    primaryKeyConstraintName: 'webhook_attempt_pkey',
  })
  deliveryId!: number;

  @ManyToOne(() => WebhookDelivery, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'delivery_id', foreignKeyConstraintName: 'webhook_attempt_delivery_id_fkey' })
  delivery?: never;

  /** 1 for the first attempt of the delivery. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'webhook_attempt_pkey' })
  number!: number;

  @Column('integer', { name: 'endpoint_id' })
  endpointId!: number;

  @Column('bigint', { name: 'event_id' })
  eventId!: number;

  @Column('bigint')
  at!: number;

  @Column('integer', { name: 'duration_ms' })
  durationMs!: number;

  /** Null if there was no answer. */
  @Column('integer', { nullable: true })
  status!: number | null;

  /** Why there was no answer; null if there was one. */
  @Column('varchar', { length: 32, nullable: true })
  failure!: string | null;

  /** The beginning of the answer; null if there was none, or the endpoint has headers. */
  @Column('text', { nullable: true })
  answer!: string | null;
}

import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

@Entity('webhook_attempt')
@Index('webhook_attempt_endpoint_id_idx', ['endpointId', 'at', 'eventId', 'number'])
export class WebhookAttempt {
  @ForeignKey('webhook_delivery', { onDelete: 'CASCADE' })
  @PrimaryColumn('bigint')
  deliveryId!: number;

  /** 1 for the first attempt of the delivery. */
  @PrimaryColumn('integer') number!: number;
  @Column('integer') endpointId!: number;
  @Column('bigint') eventId!: number;
  @Column('bigint') at!: number;
  @Column('integer') durationMs!: number;

  /** Null without a response. */
  @Column('integer', { nullable: true }) status!: number | null;

  /** Null if there was a response. */
  @Column('varchar', { length: 32, nullable: true }) failure!: string | null;

  /** The first part of the response; null if there was none, or if the endpoint has headers. */
  @Column('text', { nullable: true }) response!: string | null;
}

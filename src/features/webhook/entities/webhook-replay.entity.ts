import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** A replay of a period. An endpoint has at most one at a time. */
@Entity('webhook_replay')
export class WebhookReplay {
  @ForeignKey('webhook_endpoint', { onDelete: 'CASCADE' })
  @PrimaryColumn('integer')
  endpointId!: number;

  @Column('integer') workspaceId!: number;

  /** The request, its caller and its progress: JSON text. */
  @Column('text') progress!: string;
  @Column('bigint') turnAt!: number;
}

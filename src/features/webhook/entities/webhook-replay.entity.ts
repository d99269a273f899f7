import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** A replay of a period. A workspace has at most one at a time. */
@Entity('webhook_replay')
export class WebhookReplay {
  @PrimaryColumn('integer') workspaceId!: number;

  @ForeignKey('webhook_endpoint', { onDelete: 'CASCADE' })
  @Column('integer')
  endpointId!: number;

  /** The request, its caller and its progress: JSON text. */
  @Column('text') progress!: string;
  @Column('bigint') turnAt!: number;
}

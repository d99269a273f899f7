import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { WebhookEndpoint } from '../endpoint/webhook-endpoint.entity.ts';

/** A replay of the events of a time, of which a workspace has one at a time. */
@Entity('webhook_replay')
export class WebhookReplay {
  @PrimaryColumn('integer', {
    name: 'workspace_id',
    primaryKeyConstraintName: 'webhook_replay_pkey',
  })
  workspaceId!: number;

  @Column('integer', { name: 'endpoint_id' })
  endpointId!: number;

  @ManyToOne(() => WebhookEndpoint, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'endpoint_id', foreignKeyConstraintName: 'webhook_replay_endpoint_id_fkey' })
  endpoint?: never;

  /** What was asked for, by whom, and how far it has come: JSON text. */
  @Column('text')
  progress!: string;

  /** When its last part was done. */
  @Column('bigint', { name: 'turn_at' })
  turnAt!: number;
}

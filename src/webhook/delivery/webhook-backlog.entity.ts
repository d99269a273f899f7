import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A workspace with too many changes to be made into deliveries with those of others: it has a position of its own. */
@Entity('webhook_backlog')
export class WebhookBacklog {
  @PrimaryColumn('integer', {
    name: 'workspace_id',
    primaryKeyConstraintName: 'webhook_backlog_pkey',
  })
  workspaceId!: number;

  @Column('text')
  position!: string;

  /** When its last part was begun. */
  @Column('bigint', { name: 'turn_at' })
  turnAt!: number;
}

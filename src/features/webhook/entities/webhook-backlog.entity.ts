import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A workspace with too many changes to share the position of the others. */
@Entity('webhook_backlog')
export class WebhookBacklog {
  @PrimaryColumn('integer') workspaceId!: number;
  @Column('text') position!: string;

  /** Start of its last part. */
  @Column('bigint') turnAt!: number;
}

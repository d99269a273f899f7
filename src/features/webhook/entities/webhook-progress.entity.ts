import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The shared position in the change log before which all changes have deliveries: one row. */
@Entity('webhook_progress')
export class WebhookProgress {
  @PrimaryColumn('integer') id!: number;
  @Column('text') position!: string;
}

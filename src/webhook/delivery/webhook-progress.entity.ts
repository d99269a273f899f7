import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How far the change log has been made into deliveries, by whichever process: one row. */
@Entity('webhook_progress')
export class WebhookProgress {
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'webhook_progress_pkey' })
  id!: number;

  @Column('text')
  position!: string;
}

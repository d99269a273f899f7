import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A batch that was counted, so that it is not counted again. */
@Entity('usage_batch')
@Index(['expiresAt'])
export class UsageBatch {
  /** 0 for a batch that a process has counted itself. */
  @PrimaryColumn('integer') workspaceId!: number;
  @PrimaryColumn({ type: 'varchar', length: 255, collation: 'C' }) batchId!: string;

  /** SHA-256 of the views. */
  @Column('blob') bodyHash!: Buffer;

  /** JSON text of a `UsageBatchResult`. */
  @Column('text') result!: string;
  @Column('bigint') expiresAt!: number;
}

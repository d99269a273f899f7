import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Workspace } from './workspace.entity.ts';

/** Rules by which a workspace judged its groups and tokens until a change; a trigger of `workspace` adds them. */
@Entity('workspace_history')
@Index(['replacedAt'])
export class WorkspaceHistory {
  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @PrimaryColumn('integer')
  workspaceId!: number;
  @PrimaryColumn('bigint') replacedAt!: number;

  @Column('varchar', { length: 10 }) mappingPolicy!: Workspace['mappingPolicy'];
  @Column('text') variables!: string;
  @Column('text') requiredSchemas!: string;
  @Column('integer') tokensEpoch!: number;
  @Column('bigint', { nullable: true }) tokensEndedBefore!: number | null;
}

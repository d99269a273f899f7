import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** The changes that make the groups of a set as lines say. */
@Entity('user_group_plan')
@Index(['workspaceId', 'createdAt', 'id'])
@Index(['expiresAt'])
export class UserGroupPlan {
  @PrimaryColumn('integer') id!: number;

  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @Column('integer')
  workspaceId!: number;
  @Column('text') setName!: string;

  /** The version of the workspace's rules, by which the changes were checked. */
  @Column('integer') rulesVersion!: number;

  /** JSON text: the team_id and version of each group that the plan leaves as it is. */
  @Column('text') watched!: string;

  /** Number of groups in the set once the plan is applied. */
  @Column('integer') members!: number;

  /** JSON text of `PlanCounts`. */
  @Column('text') counts!: string;
  @Column('bigint') createdAt!: number;
  @Column('bigint') expiresAt!: number;

  /** Null until it is applied. */
  @Column('bigint', { nullable: true }) appliedAt!: number | null;
}

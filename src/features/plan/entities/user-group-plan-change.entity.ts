import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** A group that a plan changes; removed when the plan is applied. */
@Entity('user_group_plan_change')
export class UserGroupPlanChange {
  @ForeignKey('user_group_plan', { onDelete: 'CASCADE' })
  @PrimaryColumn('integer')
  planId!: number;

  /** Its place in the plan, from 1. */
  @PrimaryColumn('integer') place!: number;
  @Column('varchar', { length: 10 }) action!: 'create' | 'update' | 'suspend' | 'delete';
  @Column('text') providedId!: string;

  /** The group and the version that it must still have; null if it must not exist. */
  @Column('integer', { nullable: true }) teamId!: number | null;
  @Column('integer', { nullable: true }) version!: number | null;

  /** JSON text of the fields to store. */
  @Column('text') wanted!: string;
}

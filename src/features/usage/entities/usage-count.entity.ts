import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The use of a group in an hour, a day or a month of UTC; each use counts in a row of all three. Has no foreign keys: it
 * stays when its group is deleted.
 */
@Entity('usage_count')
@Index(['endAt'])
@Index(
  'usage_count_busiest_idx',
  ['workspaceId', 'unit', 'startAt', 'views', 'embedTokens', 'introspections', 'userGroupId'],
  { where: `"unit" <> 'hour' AND "user_group_id" > 0` },
)
export class UsageCount {
  @PrimaryColumn('integer') workspaceId!: number;

  /** 0 for all groups of the workspace together. */
  @PrimaryColumn('integer') userGroupId!: number;

  @PrimaryColumn({ type: 'varchar', length: 5, collation: 'C' }) unit!: 'hour' | 'day' | 'month';

  /** In milliseconds since 1970, like the end. */
  @PrimaryColumn('bigint') startAt!: number;
  @Column('bigint') endAt!: number;
  @Column('bigint', { default: 0 }) views!: number;
  @Column('bigint', { default: 0 }) embedTokens!: number;
  @Column('bigint', { default: 0 }) introspections!: number;

  /** Distinct users; 0 for an hour, for which they are not counted. */
  @Column('bigint', { default: 0 }) users!: number;
}

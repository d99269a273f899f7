import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * How often something happened in a workspace within an hour. It refers to no other table: its writes
 * wait for no row of another.
 */
@Entity('activity')
@Index('activity_hour_idx', ['hour'])
export class ActivityRecord {
  @PrimaryColumn('integer', { name: 'workspace_id', primaryKeyConstraintName: 'activity_pkey' })
  workspaceId!: number;

  /** When the hour began, in milliseconds since 1970. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'activity_pkey' })
  hour!: number;

  /** Whether the token was active or not. */
  @Column('bigint')
  introspections!: number;

  @Column('bigint')
  rotations!: number;

  /** Of user groups. */
  @Column('bigint')
  creations!: number;
}

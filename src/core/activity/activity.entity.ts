import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Events in a workspace within an hour. No foreign keys: its writes wait for no row of another table. */
@Entity('activity')
@Index(['hour'])
export class ActivityRecord {
  @PrimaryColumn('integer') workspaceId!: number;

  /** Beginning of the hour, in milliseconds since 1970. */
  @PrimaryColumn('bigint') hour!: number;

  /** Includes inactive tokens. */
  @Column('bigint') introspections!: number;
  @Column('bigint') rotations!: number;

  /** User groups. */
  @Column('bigint') creations!: number;
}

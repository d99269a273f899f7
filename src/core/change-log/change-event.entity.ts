import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** One committed change, written in its transaction. It has no foreign keys: an event outlives its subject. */
@Entity('change_event')
@Index(['transactionId'])
@Index(['workspaceId', 'transactionId', 'id'])
@Index('change_event_deletion_idx', ['occurredAt'], {
  where: "kind IN ('data_source.delete', 'schema.delete')",
})
export class ChangeEvent {
  @PrimaryGeneratedColumn({ type: 'bigint' }) id!: number;

  /**
   * The number of the transaction, which tells whether a snapshot of PostgreSQL sees it: ids are assigned before the
   * commits, and in another order. 0 on SQLite, which has one writer.
   */
  @Column('bigint') transactionId!: number;

  /**
   * Random id for callers, shared with the audit event: sequential ids would reveal how much other workspaces change.
   */
  @Column('bigint') publicId!: number;

  /** Null for a change of every workspace: another program has written to the tables. */
  @Column('integer', { nullable: true }) workspaceId!: number | null;

  /** `noun.verb`, as in the audit log. */
  @Column('text') kind!: string;

  /** Null if the change concerns no user group, or all of a workspace. */
  @Column('integer', { nullable: true }) userGroupId!: number | null;

  /** The id of the object in the API. */
  @Column('text', { nullable: true }) objectId!: string | null;

  /** The id that the object had before, if the change is of its id. */
  @Column('text', { nullable: true }) previousObjectId!: string | null;

  /** Version of the group after the change, or generation of the token; null for any other change. */
  @Column('bigint', { nullable: true }) version!: number | null;

  /** Time of the writing process's clock. */
  @Column('bigint') occurredAt!: number;
}

/** Up to where events have been removed, whatever the retention was then: one row, or none. */
@Entity('change_removal')
export class ChangeRemoval {
  @PrimaryColumn('integer') id!: number;

  /** The latest `occurredAt` of a removed event. */
  @Column('bigint') removedUntil!: number;
}

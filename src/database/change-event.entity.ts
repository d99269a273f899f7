import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * One committed change, written in its transaction. It has no foreign keys: an event outlives its
 * subject.
 */
@Entity('change_event')
@Index('change_event_transaction_id_idx', ['transactionId'])
@Index('change_event_workspace_id_transaction_id_id_idx', ['workspaceId', 'transactionId', 'id'])
@Index('change_event_deletion_idx', ['occurredAt'], {
  where: "kind IN ('data_source.delete', 'schema.delete')",
})
export class ChangeEvent {
  @PrimaryGeneratedColumn({ type: 'bigint', primaryKeyConstraintName: 'change_event_pkey' })
  id!: number;

  /**
   * The number of the transaction, by which a snapshot of PostgreSQL tells what it does not see yet:
   * ids are given out before their commits, and in another order. 0 on SQLite, which has one writer.
   */
  @Column('bigint', { name: 'transaction_id' })
  transactionId!: number;

  /**
   * What callers know the event by: random, since the ids would tell how much other workspaces change.
   * That of its audit event. Null for one that is older than the column.
   */
  @Column('bigint', { name: 'public_id', nullable: true })
  publicId!: number | null;

  /** Null for a change that concerns every workspace: somebody else has written to the tables. */
  @Column('integer', { name: 'workspace_id', nullable: true })
  workspaceId!: number | null;

  /** `noun.verb`, as in the audit log. */
  @Column('text')
  kind!: string;

  /** Null for what concerns no user group, or all of a workspace. */
  @Column('integer', { name: 'user_group_id', nullable: true })
  userGroupId!: number | null;

  /** The object by the id that the API shows. */
  @Column('text', { name: 'object_id', nullable: true })
  objectId!: string | null;

  /** Of the group after the change, or the generation of the token that it is about; null for any other change. */
  @Column('bigint', { nullable: true })
  version!: number | null;

  /** Milliseconds since 1970, by the clock of the process that wrote. */
  @Column('bigint', { name: 'occurred_at' })
  occurredAt!: number;
}

import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A group of people of the host application who see the same data in embedded dashboards. */
@Entity('user_group')
@Unique(['workspaceId', 'providedId'])
@Index(['workspaceId', 'id'])
@Index(['workspaceId', 'updatedAt', 'id'])
// Both databases sort texts by code points.
@Index(['workspaceId', 'name', 'id'])
@Index('user_group_suspended_idx', ['workspaceId', 'id'], { where: '"suspended_at" IS NOT NULL' })
@Index('user_group_ending_idx', ['workspaceId', 'id'], { where: '"valid_until" IS NOT NULL' })
@Index(['workspaceId', 'validUntil', 'id'], { where: '"valid_until" IS NOT NULL' })
@Index('user_group_valid_until_idx', ['validUntil'], { where: '"valid_until" IS NOT NULL' })
@Index('user_group_flaw_idx', ['workspaceId', 'flaw', 'id'], { where: '"flaw" IS NOT NULL' })
@Index('user_group_managed_by_idx', ['workspaceId', 'managedBy', 'id'], {
  where: '"managed_by" IS NOT NULL',
})
export class UserGroup {
  /** `team_id` on the wire. */
  @PrimaryGeneratedColumn() id!: number;

  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @Column('integer')
  workspaceId!: number;

  /** The host application's own id: compared code point by code point, never altered. */
  @Column({ type: 'text', collation: 'C' }) providedId!: string;

  /** The id as logs show it, if it contains what looks like a token; otherwise null. */
  @Column('text', { nullable: true }) redactedId!: string | null;
  @Column('text') name!: string;

  /** A JSON object as text: a JSON column would respell its numbers and reorder its keys. */
  @Column('text') properties!: string;

  /** Number of writes, including its creation; its tokens have generations of their own. */
  @Column('integer', { default: 1 }) version!: number;
  @Column('bigint') createdAt!: number;
  @Column('bigint') updatedAt!: number;

  /** Null while its tokens can be introspected. */
  @Column('bigint', { nullable: true }) suspendedAt!: number | null;

  /** Time from which on its tokens cannot be introspected; null if it does not end. */
  @Column('bigint', { nullable: true }) validUntil!: number | null;

  /** Time when a later write has set `validUntil`; null if the group was created with it. */
  @Column('bigint', { nullable: true }) validUntilSetAt!: number | null;

  /** The flaw that the rules of its workspace find, once they have been checked; null for none. */
  @Column({ type: 'varchar', length: 10, collation: 'C', nullable: true }) flaw!:
    'incomplete' | 'unresolved' | null;

  /** The set that it belongs to; null if it belongs to none. */
  @Column({ type: 'text', collation: 'C', nullable: true }) managedBy!: string | null;
}

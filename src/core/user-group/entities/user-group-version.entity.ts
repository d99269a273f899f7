import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A state of a user group that a later one has replaced, or that was the last one before the group was deleted. */
@Entity('user_group_version')
@Index('user_group_version_provided_id_idx', [
  'workspaceId',
  'providedId',
  'userGroupId',
  'version',
])
@Index(['replacedAt'])
export class UserGroupVersion {
  /** Without a foreign key: it outlives its group. */
  @PrimaryColumn('integer') userGroupId!: number;
  @PrimaryColumn('integer') version!: number;

  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @Column('integer')
  workspaceId!: number;
  @Column({ type: 'text', collation: 'C' }) providedId!: string;
  @Column('text') name!: string;
  @Column('text') properties!: string;

  /** Its mapping with what it then resolved to, for `readResolvedMapping`. */
  @Column('text', { nullable: true }) mapping!: string | null;
  @Column('bigint', { nullable: true }) suspendedAt!: number | null;
  @Column('bigint', { nullable: true }) validUntil!: number | null;
  @Column('text', { nullable: true }) managedBy!: string | null;

  /** Time of the creation of its group. */
  @Column('bigint') createdAt!: number;
  @Column('bigint') recordedAt!: number;
  @Column('bigint') replacedAt!: number;

  /** JSON text of the generations of its token, which go with a deleted group; null if another version followed. */
  @Column('text', { nullable: true }) tokens!: string | null;
}

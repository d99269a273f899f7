import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** An id that a group had until it was renamed, and that no other group can get until a time. */
@Entity('reserved_id')
@Index(['userGroupId'])
@Index(['reservedUntil'])
export class ReservedId {
  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @PrimaryColumn('integer')
  workspaceId!: number;

  @PrimaryColumn({ type: 'text', collation: 'C' }) providedId!: string;

  /** A deleted group leaves its former ids to others. */
  @ForeignKey('user_group', { onDelete: 'CASCADE' })
  @Column('integer')
  userGroupId!: number;

  @Column('bigint') reservedUntil!: number;
}

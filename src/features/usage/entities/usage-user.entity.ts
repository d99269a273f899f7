import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A user who was seen in a day or a month that has not ended long ago, by a hash that only the service can compute. */
@Entity('usage_user')
@Index(['endAt'])
export class UsageUser {
  @PrimaryColumn('integer') workspaceId!: number;
  @PrimaryColumn('integer') userGroupId!: number;
  @PrimaryColumn({ type: 'varchar', length: 5, collation: 'C' }) unit!: 'day' | 'month';
  @PrimaryColumn('bigint') startAt!: number;
  @PrimaryColumn('blob') userHash!: Buffer;
  @Column('bigint') endAt!: number;
}

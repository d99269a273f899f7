import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** A token that somebody has ended on purpose: no group of the workspace can have it again. It outlives its group. */
@Entity('ended_token')
export class EndedToken {
  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @PrimaryColumn('integer')
  workspaceId!: number;
  @PrimaryColumn('blob') tokenHash!: Buffer;

  @Column('bigint') endedAt!: number;
}

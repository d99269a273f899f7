import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** A token whose group is deleted, or that somebody has ended on purpose. It outlives its group. */
@Entity('former_token')
export class FormerToken {
  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @PrimaryColumn('integer')
  workspaceId!: number;
  @PrimaryColumn('blob') tokenHash!: Buffer;

  /** The `tokensEpoch` of its workspace when it was issued. */
  @Column('integer') epoch!: number;
  @Column('bigint') createdAt!: number;

  /** Time from which on no group can have it again; null for the last token of a deleted group. */
  @Column('bigint', { nullable: true }) endedAt!: number | null;
}

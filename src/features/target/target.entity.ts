import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A tool of a workspace, for which it issues tokens. */
@Entity('target')
@Unique('target_workspace_id_name_key', ['workspaceId', 'name'])
@Index(['keyId'])
export class Target {
  @PrimaryGeneratedColumn() id!: number;

  @ForeignKey('workspace', { onDelete: 'RESTRICT' })
  @Column('integer')
  workspaceId!: number;
  @Column({ type: 'varchar', length: 64, collation: 'C' }) name!: string;

  /** JSON of a `TargetDefinition`, without secrets. */
  @Column('text') definition!: string;

  /** Its secrets, encrypted; null if the key of the workspace signs. */
  @Column('blob', { nullable: true }) ciphertext!: Buffer | null;
  @Column({ type: 'varchar', length: 32, collation: 'C', nullable: true }) keyId!: string | null;
  @Column('bigint') createdAt!: number;
  @Column('bigint') updatedAt!: number;
}

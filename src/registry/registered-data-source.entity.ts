import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { Workspace } from '../workspace/workspace.entity';

/** What a value of a `mapping` names: a database that can be queried. */
@Entity('registered_data_source')
@Unique('registered_data_source_workspace_id_provided_id_key', ['workspaceId', 'providedId'])
export class RegisteredDataSource {
  @PrimaryGeneratedColumn({ primaryKeyConstraintName: 'registered_data_source_pkey' })
  id!: number;

  @Column('integer', { name: 'workspace_id' })
  workspaceId!: number;

  /** The foreign key alone; across modules only the id is used. */
  @ManyToOne(() => Workspace, { onDelete: 'RESTRICT' })
  @JoinColumn({
    name: 'workspace_id',
    foreignKeyConstraintName: 'registered_data_source_workspace_id_fkey',
  })
  workspace?: never;

  /** The host application's own id; it never changes, because stored mappings hang on it. */
  @Column('text', { name: 'provided_id' })
  providedId!: string;

  @Column('text')
  name!: string;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}

import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { Workspace } from '../../workspace/workspace.entity.ts';

/** A database that can be queried; a value of a `mapping` names it. */
@Entity('registered_data_source')
@Unique('registered_data_source_workspace_id_provided_id_key', ['workspaceId', 'providedId'])
export class RegisteredDataSource {
  @PrimaryGeneratedColumn({ primaryKeyConstraintName: 'registered_data_source_pkey' })
  id!: number;

  @Column('integer', { name: 'workspace_id' })
  workspaceId!: number;

  /** Declares the foreign key; code uses the id alone. */
  @ManyToOne(() => Workspace, { onDelete: 'RESTRICT' })
  @JoinColumn({
    name: 'workspace_id',
    foreignKeyConstraintName: 'registered_data_source_workspace_id_fkey',
  })
  workspace?: never;

  /** The host application's own id; it never changes, because stored mappings refer to it. */
  @Column('text', { name: 'provided_id' })
  providedId!: string;

  @Column('text')
  name!: string;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}

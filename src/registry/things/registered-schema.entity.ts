import { Column, Entity, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { Workspace } from '../../workspace/workspace.entity.ts';

/** A set of tables that dashboards are written against; a key of a `mapping` names it. */
@Entity('registered_schema')
@Unique('registered_schema_workspace_id_provided_id_key', ['workspaceId', 'providedId'])
export class RegisteredSchema {
  @PrimaryGeneratedColumn({ primaryKeyConstraintName: 'registered_schema_pkey' })
  id!: number;

  @Column('integer', { name: 'workspace_id' })
  workspaceId!: number;

  /** Declares the foreign key; code uses the id alone. */
  @ManyToOne(() => Workspace, { onDelete: 'RESTRICT' })
  @JoinColumn({
    name: 'workspace_id',
    foreignKeyConstraintName: 'registered_schema_workspace_id_fkey',
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

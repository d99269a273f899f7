import {
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';
import { Workspace } from '../../workspace/workspace.entity.ts';

/** A group of people of the host application who see the same data in embedded dashboards. */
@Entity('user_group')
@Unique('user_group_workspace_id_provided_id_key', ['workspaceId', 'providedId'])
@Index('user_group_workspace_id_id_idx', ['workspaceId', 'id'])
@Index('user_group_workspace_id_updated_at_id_idx', ['workspaceId', 'updatedAt', 'id'])
// The texts of both are in the order of code points.
@Index('user_group_workspace_id_name_id_idx', ['workspaceId', 'name', 'id'])
@Index('user_group_suspended_idx', ['workspaceId', 'id'], { where: '"suspended_at" IS NOT NULL' })
export class UserGroup {
  /** `team_id` on the wire. */
  @PrimaryGeneratedColumn({ primaryKeyConstraintName: 'user_group_pkey' })
  id!: number;

  @Column('integer', { name: 'workspace_id' })
  workspaceId!: number;

  /** Declares the foreign key; code uses the id alone. */
  @ManyToOne(() => Workspace, { onDelete: 'RESTRICT' })
  @JoinColumn({ name: 'workspace_id', foreignKeyConstraintName: 'user_group_workspace_id_fkey' })
  workspace?: never;

  /** The host application's own id: compared code point by code point, never altered. */
  @Column('text', { name: 'provided_id' })
  providedId!: string;

  @Column('text')
  name!: string;

  /** A JSON object as text: a JSON column would respell its numbers and reorder its keys. */
  @Column('text')
  properties!: string;

  /** How often it has been written, its creation included; its tokens have generations of their own. */
  @Column('integer', { default: 1 })
  version!: number;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;

  /** When it was suspended; null while its tokens can be introspected. */
  @Column('bigint', { name: 'suspended_at', nullable: true })
  suspendedAt!: number | null;
}

import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** A tenant: it owns API tokens and user groups, and nothing crosses from one to another. */
@Entity('workspace')
@Unique('workspace_name_key', ['name'])
export class Workspace {
  @PrimaryGeneratedColumn({ primaryKeyConstraintName: 'workspace_pkey' })
  id!: number;

  @Column('text')
  name!: string;

  /** Milliseconds since 1970-01-01T00:00Z, like every time in the database. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;
}

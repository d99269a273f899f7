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

  /** What a mapping may name: `open` takes any id, `registered` those of the registry. */
  @Column('varchar', { name: 'mapping_policy', length: 10, default: 'open' })
  mappingPolicy!: 'open' | 'registered';

  /** JSON text of `{name, type}` objects: the properties that each user group must have. */
  @Column('text', { name: 'required_properties', default: '[]' })
  requiredProperties!: string;

  /** JSON text of schema ids: the schemas that each user group must map. */
  @Column('text', { name: 'required_schemas', default: '[]' })
  requiredSchemas!: string;
}

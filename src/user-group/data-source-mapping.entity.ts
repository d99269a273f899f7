import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserGroup } from './user-group.entity';

/** One entry of a user group's `mapping`: for this schema, query that data source. */
@Entity('data_source_mapping')
export class DataSourceMapping {
  @PrimaryColumn('integer', {
    name: 'user_group_id',
    primaryKeyConstraintName: 'data_source_mapping_pkey',
  })
  userGroupId!: number;

  @ManyToOne(() => UserGroup, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'user_group_id',
    foreignKeyConstraintName: 'data_source_mapping_user_group_id_fkey',
  })
  userGroup?: never;

  @PrimaryColumn('text', {
    name: 'schema_id',
    primaryKeyConstraintName: 'data_source_mapping_pkey',
  })
  schemaId!: string;

  /** The data source as it was sent; an integer in its decimal digits. */
  @Column('text', { name: 'data_source' })
  dataSource!: string;

  /** `integer` or `string`: 7 and "7" are different references. */
  @Column('varchar', { name: 'data_source_type', length: 7 })
  dataSourceType!: 'integer' | 'string';
}

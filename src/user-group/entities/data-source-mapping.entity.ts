import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { RegisteredDataSource } from '../../registry/things/registered-data-source.entity.ts';
import { RegisteredSchema } from '../../registry/things/registered-schema.entity.ts';
import { UserGroup } from './user-group.entity.ts';

/** One entry of a user group's `mapping`: for this schema, query that data source. */
@Entity('data_source_mapping')
@Index('data_source_mapping_registered_schema_id_key', ['registeredSchemaId', 'userGroupId'], {
  unique: true,
})
@Index('data_source_mapping_registered_data_source_id_idx', [
  'registeredDataSourceId',
  'userGroupId',
])
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

  /** What `schemaId` was resolved to when the entry was written; null under the policy `open`. */
  @Column('integer', { name: 'registered_schema_id', nullable: true })
  registeredSchemaId!: number | null;

  @ManyToOne(() => RegisteredSchema, { onDelete: 'RESTRICT' })
  @JoinColumn({
    name: 'registered_schema_id',
    foreignKeyConstraintName: 'data_source_mapping_registered_schema_id_fkey',
  })
  registeredSchema?: never;

  /** What `dataSource` was resolved to when the entry was written; null under the policy `open`. */
  @Column('integer', { name: 'registered_data_source_id', nullable: true })
  registeredDataSourceId!: number | null;

  @ManyToOne(() => RegisteredDataSource, { onDelete: 'RESTRICT' })
  @JoinColumn({
    name: 'registered_data_source_id',
    foreignKeyConstraintName: 'data_source_mapping_registered_data_source_id_fkey',
  })
  registeredDataSource?: never;
}

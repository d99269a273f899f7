import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** One entry of a user group's `mapping`: the data source to query for a schema. */
@Entity('data_source_mapping')
@Index('data_source_mapping_registered_schema_id_key', ['registeredSchemaId', 'userGroupId'], {
  unique: true,
})
@Index('data_source_mapping_registered_data_source_id_idx', [
  'registeredDataSourceId',
  'userGroupId',
])
export class DataSourceMapping {
  @ForeignKey('user_group', { onDelete: 'CASCADE' })
  @PrimaryColumn('integer')
  userGroupId!: number;
  @PrimaryColumn({ type: 'text', collation: 'C' }) schemaId!: string;

  /** The data source as sent; an integer in decimal digits. */
  @Column('text') dataSource!: string;

  /** `integer` or `string`: 7 and "7" are different references. */
  @Column('varchar', { length: 7 }) dataSourceType!: 'integer' | 'string';

  /** Resolution of `schemaId` when the entry was written; null under the policy `open`. */
  @ForeignKey('registered_schema', { onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  registeredSchemaId!: number | null;

  /** Resolution of `dataSource` when the entry was written; null under the policy `open`. */
  @ForeignKey('registered_data_source', { onDelete: 'RESTRICT' })
  @Column('integer', { nullable: true })
  registeredDataSourceId!: number | null;
}

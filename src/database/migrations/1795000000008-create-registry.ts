import { type MigrationInterface, type QueryRunner, Table, TableForeignKey } from 'typeorm';
import { addColumns, dropColumns, generatedId, reference } from './table-parts.ts';

const ofWorkspaces = {
  mapping_policy: "varchar(10) NOT NULL DEFAULT 'open'",
  required_properties: "text NOT NULL DEFAULT '[]'",
  required_schemas: "text NOT NULL DEFAULT '[]'",
};
const ofMappings = { registered_schema_id: 'integer', registered_data_source_id: 'integer' };
const references = [
  reference('data_source_mapping', 'registered_schema_id', 'registered_schema', 'RESTRICT'),
  reference(
    'data_source_mapping',
    'registered_data_source_id',
    'registered_data_source',
    'RESTRICT',
  ),
];

export class CreateRegistry1795000000008 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const name of ['registered_schema', 'registered_data_source']) {
      await queryRunner.createTable(registered(name));
    }
    await addColumns(queryRunner, 'workspace', ofWorkspaces);
    await addColumns(queryRunner, 'data_source_mapping', ofMappings);
    await queryRunner.createForeignKeys(
      'data_source_mapping',
      references.map((options) => new TableForeignKey(options)),
    );
    await queryRunner.query(
      `CREATE UNIQUE INDEX data_source_mapping_registered_schema_id_key
       ON data_source_mapping (registered_schema_id, user_group_id)`,
    );
    await queryRunner.query(
      `CREATE INDEX data_source_mapping_registered_data_source_id_idx
       ON data_source_mapping (registered_data_source_id, user_group_id)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX data_source_mapping_registered_data_source_id_idx');
    await queryRunner.query('DROP INDEX data_source_mapping_registered_schema_id_key');
    for (const { name } of references) {
      await queryRunner.dropForeignKey('data_source_mapping', name!);
    }
    await dropColumns(queryRunner, 'data_source_mapping', ofMappings);
    await dropColumns(queryRunner, 'workspace', ofWorkspaces);
    await queryRunner.dropTable('registered_data_source');
    await queryRunner.dropTable('registered_schema');
  }
}

/** The two tables differ in what refers to them, not in what they hold. */
function registered(name: string): Table {
  return new Table({
    name,
    columns: [
      generatedId(name),
      { name: 'workspace_id', type: 'integer' },
      { name: 'provided_id', type: 'text' },
      { name: 'name', type: 'text' },
      { name: 'created_at', type: 'bigint' },
      { name: 'updated_at', type: 'bigint' },
    ],
    uniques: [
      {
        name: `${name}_workspace_id_provided_id_key`,
        columnNames: ['workspace_id', 'provided_id'],
      },
    ],
    foreignKeys: [reference(name, 'workspace_id', 'workspace', 'RESTRICT')],
  });
}

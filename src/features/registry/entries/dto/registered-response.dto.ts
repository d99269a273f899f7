import { BaseSchema } from '../../../../platform/common/api-docs.ts';
import { Flag, Integer, Text, Time } from '../../../../platform/common/fields.ts';
import { page, response } from '../../../../platform/common/http/responses/response.ts';
import { toWireTime } from '../../../../platform/common/time.ts';
import type { RegistryEntry } from '../registry.repository.ts';

/** A registered schema or data source. */
@BaseSchema('RegistryEntry')
export class RegistryEntryView {
  @Integer('Its number here.', 7)
  id!: number;

  @Text('Your own id of it.', 'warehouse-emea')
  provided_id!: string;

  @Text('Its name for people.', 'Warehouse EMEA')
  name!: string;

  @Time('When it was registered.')
  created_at!: string;

  @Time('When it was last changed.')
  updated_at!: string;
}

class Schema extends RegistryEntryView {}

class DataSource extends RegistryEntryView {}

export class SchemaResponse extends response('schema', Schema, 'The schema.') {}

export class SchemasResponse extends page(
  'schemas',
  Schema,
  'Schemas in the order of their registration.',
) {}

export class DataSourceResponse extends response('data_source', DataSource, 'The data source.') {}

export class DataSourcesResponse extends page(
  'data_sources',
  DataSource,
  'Data sources in the order of their registration.',
) {}

class UserGroupReference {
  @Integer('Internal id of the user group.', 1)
  team_id!: number;

  @Text('Your own id of the user group.', 'acme-emea')
  provided_id!: string;
}

export class ReferencesResponse extends page(
  'user_groups',
  UserGroupReference,
  'The user groups whose mappings refer to it, in the order of team_id.',
) {
  @Flag('Whether required_schemas of the workspace names it; never for a data source.', false)
  required!: boolean;
}

export function toRegistryEntryView({
  id,
  providedId,
  name,
  ...times
}: RegistryEntry): RegistryEntryView {
  return {
    id,
    provided_id: providedId,
    name,
    created_at: toWireTime(times.createdAt),
    updated_at: toWireTime(times.updatedAt),
  };
}

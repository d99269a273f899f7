import { problem } from '../../../platform/common/problem/problem.ts';

export class SchemaNotFound extends problem(404, 'schema_not_found', {
  about: 'No schema of the workspace has this number.',
}) {}

export class DataSourceNotFound extends problem(404, 'data_source_not_found', {
  about: 'No data source of the workspace has this number.',
}) {}

export class ProvidedIdTaken extends problem(409, 'provided_id_taken', {
  about: 'The workspace already has a schema or a data source with this provided_id.',
  detail: 'The workspace already has a schema with this provided_id.',
}) {}

export class TooManySchemas extends problem(409, 'too_many_schemas', {
  about: 'The workspace has 200 schemas, as many as a mapping can have entries.',
}) {}

export class StillReferenced extends problem(409, 'still_referenced', {
  about: 'It is still referred to; nothing was changed. `errors` has up to 20 of the places.',
  errors: [
    {
      pointer: '/user_groups/acme-emea',
      code: 'refers',
      detail: 'The mapping of this user group refers to it.',
    },
  ],
}) {}

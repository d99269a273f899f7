import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { TIME_EXAMPLE } from '../../platform/common/fields.ts';

const entry = (id: number, provided_id: string, name: string) => ({
  request: { provided_id, name },
  entry: { id, provided_id, name, created_at: TIME_EXAMPLE, updated_at: TIME_EXAMPLE },
});
const schema = entry(3, 'sales', 'Sales');
const dataSource = entry(7, 'warehouse-emea', 'Warehouse EMEA');

export const registryOpenApi: OpenApiParts = {
  tags: {
    Registry: 'The schemas and data sources that mappings refer to.',
    Workspace: 'The requirements of a workspace for its user groups.',
  },
  examples: {
    createSchema: { request: schema.request, response: { success: 1, schema: schema.entry } },
    createDataSource: {
      request: dataSource.request,
      response: { success: 1, data_source: dataSource.entry },
    },
  },
};

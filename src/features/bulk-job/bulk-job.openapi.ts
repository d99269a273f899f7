import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { TIME_EXAMPLE } from '../../platform/common/fields.ts';

export const bulkJobOpenApi: OpenApiParts = {
  tags: {
    Jobs: 'Actions for many user groups, and imports, that the service does in the background.',
  },
  examples: {
    createBulkJob: {
      request: { action: 'resume', ids: ['acme-emea', 'initech'] },
      response: {
        success: 1,
        bulk_job: {
          id: 512904417,
          state: 'queued',
          action: 'resume',
          selection: { ids: 2 },
          created_by: { api_token_id: 1, name: 'bootstrap' },
          total: 2,
          done: 0,
          created: 0,
          changed: 0,
          unchanged: 0,
          refused: 0,
          failure: null,
          created_at: TIME_EXAMPLE,
          started_at: null,
          ended_at: null,
          undo_until: null,
          undone_by: null,
        },
      },
    },
  },
};

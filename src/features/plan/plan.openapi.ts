import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { TIME_EXAMPLE } from '../../platform/common/fields.ts';

const HEAD = {
  id: 284501933,
  set: 'production',
  counts: { create: 1, update: 1, suspend: 0, delete: 0, unchanged: 40, conflict: 0 },
};

export const planOpenApi: OpenApiParts = {
  tags: {
    'Groups as code':
      'Plans: what has to change so that the user groups of a set are as files say, and their application.',
  },
  examples: {
    planUserGroups: {
      request: {
        provided_id: 'acme-emea',
        name: 'Acme EMEA',
        mapping: { sales: 'warehouse-emea' },
        properties: { region: 'EMEA', plan: 'team' },
      },
      response: {
        success: 1,
        user_group_plan: {
          ...HEAD,
          created_at: TIME_EXAMPLE,
          expires_at: '2030-01-02T12:00:00.000Z',
          changes: [
            {
              action: 'update',
              provided_id: 'acme-emea',
              name: 'Acme EMEA',
              line: 1,
              differences: [{ pointer: '/properties/plan', was: 'trial', is: 'team' }],
            },
            { action: 'create', provided_id: 'initech', name: 'Initech', line: 2 },
          ],
          conflicts: [],
        },
      },
    },
    applyUserGroups: {
      response: { success: 1, user_group_plan: { ...HEAD, applied_at: TIME_EXAMPLE } },
    },
  },
};

import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { TIME_EXAMPLE } from '../../platform/common/fields.ts';

const HEAD = {
  id: 284501933,
  set: 'production',
  counts: { create: 0, update: 1, suspend: 0, delete: 0, unchanged: 40, conflict: 0 },
};

export const planOpenApi: OpenApiParts = {
  tags: {
    'Groups as code': 'Plans: changes that make the user groups of a set as files say.',
  },
  examples: {
    planUserGroups: {
      request: {
        provided_id: 'acme-emea',
        name: 'Acme EMEA',
        properties: { plan: 'team' },
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

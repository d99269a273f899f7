import { exampleContent } from '../../core/user-group/user-group.openapi.ts';
import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { TIME_EXAMPLE } from '../../platform/common/fields.ts';

const NEW_ID = 'acme-emea-2030';

export const renameOpenApi: OpenApiParts = {
  examples: {
    renameUserGroup: {
      request: { provided_id: NEW_ID },
      response: {
        success: 1,
        user_group: {
          team_id: 1,
          provided_id: NEW_ID,
          ...exampleContent,
          properties: { region: 'EMEA', seats: 50 },
          valid_until: null,
          status: 'active',
          reasons: [],
          suspended_at: null,
          created_at: TIME_EXAMPLE,
          updated_at: '2030-01-01T12:30:00.000Z',
        },
      },
    },
  },
};

import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { TIME_EXAMPLE } from '../../platform/common/fields.ts';

export const eventOpenApi: OpenApiParts = {
  tags: {
    Events: 'The changes, to follow.',
  },
  examples: {
    listEvents: {
      response: {
        success: 1,
        events: [
          {
            id: 'evt_5377108433215711',
            type: 'user_group.update',
            occurred_at: TIME_EXAMPLE,
            user_group: { team_id: 1, provided_id: 'acme-emea', version: 2 },
          },
        ],
        next_cursor: 'azE.WzUwXQ',
        has_more: false,
      },
    },
  },
};

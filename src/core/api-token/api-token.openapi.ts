import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { TIME_EXAMPLE } from '../../platform/common/fields.ts';

export const apiTokenOpenApi: OpenApiParts = {
  tags: {
    'API tokens': 'The tokens with which applications call this API.',
  },
  examples: {
    createApiToken: {
      request: { name: 'renderer', scopes: ['tokens:introspect'] },
      response: {
        success: 1,
        api_token: {
          id: 391514958,
          name: 'renderer',
          last_four: '0000',
          state: 'active',
          scopes: ['tokens:introspect'],
          allowed_cidrs: null,
          user_groups: null,
          created_at: TIME_EXAMPLE,
          expires_at: null,
          last_used_at: null,
          revoked_at: null,
          superseded_by_id: null,
          subject: null,
          token: 'uga_EXAMPLE4example4EXAMPLE4example4000000',
        },
      },
    },
  },
};

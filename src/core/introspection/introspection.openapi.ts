import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { exampleContent, NEXT_TOKEN } from '../user-group/user-group.openapi.ts';

export const introspectionOpenApi: OpenApiParts = {
  tags: {
    Introspection: 'The meaning of a token, for renderers of dashboards.',
  },
  examples: {
    introspectToken: {
      request: { token: NEXT_TOKEN },
      response: {
        active: true,
        sub: 'acme-emea',
        team_id: 1,
        ...exampleContent,
        token_type: 'user_group_token',
        iat: 1_893_499_200,
      },
    },
  },
};

import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';

export const embedTokenOpenApi: OpenApiParts = {
  tags: {
    'Embed tokens': 'Short-lived tokens for pages, derived from a user group.',
  },
  examples: {
    issueEmbedToken: {
      request: {
        expires_in_seconds: 600,
        audience: 'https://dashboards.example.com',
        user: { id: 'u-17', name: 'Ada Lovelace' },
        resources: [{ type: 'dashboard', id: 'sales' }],
      },
      response: {
        success: 1,
        embed_token: {
          token: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhY21lLWVtZWEifQ.c2lnbmF0dXJl',
          token_type: 'embed_token',
          expires_at: '2030-01-01T12:30:00.000Z',
          expires_in: 600,
          kid: 'ngLJbPkUPmM7JoSkR-rvHSgzPeyPHLF5LC7qQ2j1G-c',
          jti: '5IVCZbwvj_7gTWRNOMsC1A',
        },
      },
    },
  },
};

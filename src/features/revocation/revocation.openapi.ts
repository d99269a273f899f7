import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';

export const revocationOpenApi: OpenApiParts = {
  tags: {
    Revocation: 'Ends tokens, for their holders and for those who found them.',
  },
};

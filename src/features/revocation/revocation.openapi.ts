import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';

export const revocationOpenApi: OpenApiParts = {
  tags: {
    Revocation: 'Ends tokens for those who hold them, or have found them.',
  },
};

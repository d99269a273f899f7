import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';

export const planOpenApi: OpenApiParts = {
  tags: {
    'Groups as code': 'Plans: changes that make the user groups of a set as files say.',
  },
};

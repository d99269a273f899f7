import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';

export const systemOpenApi: OpenApiParts = {
  tags: {
    System: 'The installation.',
  },
};

import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';

export const usageOpenApi: OpenApiParts = {
  tags: {
    Usage: 'How much each user group uses. The counts are no bill.',
  },
};

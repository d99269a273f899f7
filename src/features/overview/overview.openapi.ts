import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';

export const overviewOpenApi: OpenApiParts = {
  tags: {
    Overview: 'The workspace at a glance.',
  },
};

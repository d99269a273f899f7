import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';

export const auditOpenApi: OpenApiParts = {
  tags: {
    'Audit log': 'The audit log: who did what.',
  },
};

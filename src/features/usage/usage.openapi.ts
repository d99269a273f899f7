import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { QuotaReached } from './usage.errors.ts';

export const usageOpenApi: OpenApiParts = {
  problems: { issueEmbedToken: [QuotaReached] },
  tags: {
    Usage: 'How much each user group uses. Do not bill by the counts.',
  },
};

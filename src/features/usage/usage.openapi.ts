import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { QuotaReached } from './usage.errors.ts';

export const usageOpenApi: OpenApiParts = {
  problems: { issueEmbedToken: [QuotaReached] },
  tags: {
    Usage: 'Usage of each user group. Do not bill by the counts.',
  },
};

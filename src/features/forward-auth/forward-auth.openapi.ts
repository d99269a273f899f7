import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { GATEWAY_SCHEME } from './gateway/gateway-request.ts';

export const forwardAuthOpenApi: OpenApiParts = {
  tags: {
    'Forward authentication':
      'For gateways, which ask who is viewing before they let a request through.',
  },
  securitySchemes: {
    [GATEWAY_SCHEME]: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Gateway-Authorization',
      description:
        'The word `Bearer`, a space, and an API token. `Authorization` is that of the viewer.',
    },
  },
};

/** A small OpenAPI document of a service that has been released: with what can be taken away from it. */
export const RELEASED = {
  openapi: '3.1.0',
  paths: {
    '/groups': {
      parameters: [{ name: 'trace', in: 'header', schema: { type: 'string' } }],
      get: {
        operationId: 'listGroups',
        security: [{ ApiToken: [] }, { BearerToken: [] }],
        'x-required-scopes': ['groups:read'],
        'x-required-scope-with': { secret: 'groups:secret' },
        parameters: [
          {
            name: 'limit',
            in: 'query',
            required: false,
            schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
          },
        ],
        responses: {
          200: {
            headers: { ETag: { required: true, schema: { type: 'string' } } },
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['groups'],
                  properties: {
                    groups: { type: 'array', items: { $ref: '#/components/schemas/Group' } },
                    next: { type: ['string', 'null'] },
                  },
                },
              },
            },
          },
          404: { content: { 'application/problem+json': { schema: { type: 'object' } } } },
        },
      },
      put: {
        operationId: 'putGroup',
        security: [{ ApiToken: [] }],
        parameters: [],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/WriteGroup' } } },
        },
        responses: {
          200: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { group: { allOf: [{ $ref: '#/components/schemas/Group' }] } },
                },
              },
            },
          },
        },
      },
      post: { operationId: 'ping', security: [], parameters: [], responses: { 204: {} } },
    },
    '/health': { get: { operationId: 'health', responses: { 200: {} } } },
  },
  webhooks: {
    event: {
      post: {
        operationId: 'receiveEvent',
        parameters: [{ name: 'id', in: 'header', required: true, schema: { type: 'string' } }],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['type'],
                properties: { type: { type: 'string' }, group: { type: 'string' } },
              },
            },
          },
        },
        responses: { '2XX': {}, 410: {} },
      },
    },
  },
  components: {
    securitySchemes: {
      ApiToken: { type: 'apiKey', in: 'header', name: 'Authorization' },
      BearerToken: { type: 'http', scheme: 'bearer' },
    },
    schemas: {
      Group: {
        type: 'object',
        required: ['id', 'state'],
        properties: {
          id: { type: 'integer' },
          state: { type: 'string', enum: ['active', 'suspended'], description: 'Which.' },
          reason: { type: 'string', 'x-extensible-enum': ['asked'] },
          token: { type: 'string', maxLength: 40 },
          target: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
          // A group in a group: a schema may contain itself.
          parent: { anyOf: [{ $ref: '#/components/schemas/Group' }, { type: 'null' }] },
        },
      },
      WriteGroup: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string', minLength: 1, maxLength: 100 },
          name: { type: ['string', 'null'] },
          kind: { type: 'string', enum: ['a', 'b'] },
          tags: { type: 'array', items: { type: 'string' }, maxItems: 10 },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
          target: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
        },
      },
    },
  },
};

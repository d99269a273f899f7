import type { OpenApiParts } from '../../platform/common/extension/openapi-parts.ts';
import { TIME_EXAMPLE } from '../../platform/common/fields.ts';
import type { OpenAPIObject } from '@nestjs/swagger';

const messageHeader = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** The service's own requests to the endpoints of a workspace. */
const WEBHOOK: OpenAPIObject['paths'][string] = {
  post: {
    operationId: 'receiveEvent',
    summary: 'Receive an event',
    description:
      'The message that the service posts to the webhook endpoints of a workspace (Standard Webhooks 1.0). A message can arrive more than once, under the same `webhook-id`.',
    tags: ['Webhooks'],
    // The endpoint belongs to the receiver.
    security: [],
    parameters: [
      messageHeader('webhook-id', 'The event; the same for each attempt.', 'evt_5377108433215711'),
      messageHeader('webhook-timestamp', 'When it was sent, in seconds since 1970.', '1893499200'),
      messageHeader(
        'webhook-signature',
        'One signature or, while a secret is rolled, two.',
        'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
      ),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['type', 'timestamp', 'data'],
            properties: {
              type: { type: 'string', description: 'The kind of event: `noun.verb`.' },
              timestamp: { type: 'string', format: 'date-time', description: 'Time of the event.' },
              data: {
                type: 'object',
                description: 'The changed object: `user_group`, or `object`, as in an event.',
                properties: {
                  user_group: { $ref: '#/components/schemas/ChangedUserGroup' },
                  object: { $ref: '#/components/schemas/ChangedObject' },
                },
              },
            },
            example: {
              type: 'user_group.update',
              timestamp: '2030-01-01T12:00:00.000Z',
              data: { user_group: { team_id: 7, provided_id: 'acme-emea', version: 3 } },
            },
          },
        },
      },
    },
    responses: {
      '2XX': { description: 'It has arrived.' },
      '410': { description: 'Send nothing here any more.' },
      '429': { description: 'Send nothing here for as long as `Retry-After` says.' },
    },
  },
};

export const webhookOpenApi: OpenApiParts = {
  tags: {
    Webhooks: 'Endpoints that receive the events of the workspace.',
  },
  examples: {
    createWebhookEndpoint: {
      request: { url: 'https://hooks.example.com/user-groups', event_types: ['user_group.*'] },
      response: {
        success: 1,
        webhook_endpoint: {
          id: 783986498,
          url: 'https://hooks.example.com/user-groups',
          description: null,
          event_types: ['user_group.*'],
          signature: 'v1',
          public_key: null,
          old_secret_expires_at: null,
          headers: [],
          enabled: true,
          disabled_at: null,
          disabled_reason: null,
          failing_since: null,
          skipping_since: null,
          created_at: TIME_EXAMPLE,
          updated_at: TIME_EXAMPLE,
          secret: 'whsec_RXhhbXBsZQ==',
        },
      },
    },
  },
  webhooks: { event: WEBHOOK },
};

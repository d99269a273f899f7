import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from '../app.module.ts';
import { API_TOKEN_SCHEME, CLIENT_SECRET_SCHEME } from '../common/access.decorator.ts';
import { describeRecorded } from '../common/api-docs.ts';
import { PATCH_TYPES } from '../common/json/read-body.ts';
import { serviceVersion } from '../common/version.ts';
import { Config } from '../config/config.ts';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

const BEARER_SCHEME = 'BearerToken';

const DESCRIPTION = `
Manages the user groups of a SaaS product and their tokens for embedded dashboards. The token tells an
embedded dashboard who is viewing; the group's \`mapping\` says which data source to query; its
\`properties\` become variables in dashboards and SQL.

Every answer has \`success\`: 1, or 0 with an RFC 9457 problem whose \`code\` is stable. Introspection
answers what RFC 7662 says, the key set what RFC 7517, and the metadata what RFC 8414; an import and an
export answer lines.`;

/** Builds the OpenAPI 3.1 document of everything the application serves. */
export async function buildOpenApi(app: INestApplication): Promise<OpenAPIObject> {
  const swagger = await import('@nestjs/swagger');
  describeRecorded(swagger);
  const builder = new swagger.DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('User group service')
    .setDescription(DESCRIPTION.trim())
    .setVersion(serviceVersion)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'This server')
    .addTag('User groups', 'User groups and their tokens: the contract.')
    .addTag('User groups (v1)', 'The same groups as resources of plain HTTP, without their tokens.')
    .addTag(
      'User group tokens',
      'Their tokens, for operators and for those who know the group alone.',
    )
    .addTag('Embed tokens', 'Short-lived tokens for pages, derived from a user group.')
    .addTag('Introspection', 'What a token means, for the renderers of dashboards.')
    .addTag('Registry', 'The schemas and data sources that mappings refer to.')
    .addTag('Workspace', 'What a workspace asks of its user groups.')
    .addTag('Webhooks', 'Where the workspace is told of its events.')
    .addTag('API tokens', 'The tokens with which applications call this API.')
    .addTag('Overview', 'The workspace at a glance.')
    .addTag('System', 'The installation.')
    .addTag('Audit log', 'Who did what.')
    .addTag('Events', 'What has changed, to follow.')
    .addTag('Health', 'What orchestrators and load balancers ask.')
    .addSecurity(API_TOKEN_SCHEME, {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: 'The word `Token`, a space, the API token: `Token uga_…`.',
    })
    .addSecurity(BEARER_SCHEME, {
      type: 'http',
      scheme: 'bearer',
      description: 'The same API token for clients that know only the standard scheme.',
    })
    .addSecurity(CLIENT_SECRET_SCHEME, {
      type: 'http',
      scheme: 'basic',
      description:
        'The same API token as the secret of an OAuth 2.0 client (RFC 6749, section 2.3.1), for introspection alone; the id can be any.',
    });
  const base = builder.build();
  base.info.contact = { name: 'The operator of this service' };
  const document = swagger.SwaggerModule.createDocument(app, base);
  documentBearer(document);
  documentPatches(document);
  documentRateLimits(document);
  document.webhooks = { event: WEBHOOK };
  return document;
}

const messageHeader = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** What the service itself posts to the endpoints of a workspace. */
const WEBHOOK: PathItem = {
  post: {
    operationId: 'receiveEvent',
    summary: 'Receive an event',
    description:
      'What the service posts to the webhook endpoints of a workspace (Standard Webhooks 1.0). A message can arrive more than once, under the same `webhook-id`.',
    tags: ['Webhooks'],
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
              type: { type: 'string', description: 'What has happened: `noun.verb`.' },
              timestamp: { type: 'string', format: 'date-time', description: 'When.' },
              data: {
                type: 'object',
                description: 'What has changed: `user_group`, or `object`, as in an event.',
                properties: {
                  user_group: { $ref: '#/components/schemas/ChangedUserGroup' },
                  object: { $ref: '#/components/schemas/ChangedObject' },
                },
              },
            },
            example: {
              type: 'user_group.update',
              timestamp: '2030-01-01T12:00:00.000Z',
              data: { user_group: { team_id: 7, user_group_id: 'acme-emea', version: 3 } },
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

/** Documents the standard scheme, which is accepted outside the contract's one path. */
function documentBearer(document: OpenAPIObject): void {
  for (const [path, item] of Object.entries(document.paths)) {
    if (!path.startsWith('/api/v1/')) continue;
    for (const { security } of operationsOf(item)) security?.push({ [BEARER_SCHEME]: [] });
  }
}

/** Documents the media types of every PATCH. */
function documentPatches(document: OpenAPIObject): void {
  for (const { patch } of Object.values(document.paths)) {
    if (!patch?.requestBody || '$ref' in patch.requestBody) continue;
    const json = patch.requestBody.content['application/json']!;
    patch.requestBody.content = Object.fromEntries(PATCH_TYPES.map((type) => [type, json]));
  }
}

/**
 * Header fields of the answer to every call that is counted, whichever handler gives it, unless the
 * limit is off.
 */
const RATE_LIMIT_HEADERS = {
  RateLimit: {
    description:
      'The policies that count, of the API token and of its workspace: how many calls are left (r), and after how many seconds it begins anew (t): draft-ietf-httpapi-ratelimit-headers.',
    schema: { type: 'string' },
    example: '"api-token";r=5999;t=60, "workspace";r=29999;t=60',
  },
  'RateLimit-Policy': {
    description: 'The policies: how many calls each allows (q), and in how many seconds (w).',
    schema: { type: 'string' },
    example: '"api-token";q=6000;w=60, "workspace";q=30000;w=60',
  },
};

function documentRateLimits(document: OpenAPIObject): void {
  const references = Object.fromEntries(
    Object.keys(RATE_LIMIT_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
  document.components = { ...document.components, headers: RATE_LIMIT_HEADERS };
  const counted = Object.values(document.paths)
    .flatMap(operationsOf)
    .filter(({ security }) => security !== undefined);
  for (const { responses } of counted) {
    for (const response of Object.values(responses)) {
      if (!response || '$ref' in response) continue;
      response.headers = { ...response.headers, ...references };
    }
  }
}

function operationsOf({ get, put, post, patch, delete: remove }: PathItem): Operation[] {
  return [get, put, post, patch, remove].filter((operation) => operation !== undefined);
}

/** Builds the same document without a database: in preview nothing is instantiated. */
export async function describeOpenApi(config = new Config()): Promise<OpenAPIObject> {
  const app = await NestFactory.create(AppModule.with(config), {
    preview: true,
    logger: false,
  });
  return buildOpenApi(app);
}

import { isDeepStrictEqual } from 'node:util';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from '../app.module.ts';
import {
  API_TOKEN_SCHEME,
  CLIENT_SECRET_SCHEME,
} from '../../../platform/common/access/access.decorator.ts';
import { scopes } from '../../../platform/common/access/scopes.ts';
import { baseSchemas, describeRecorded } from '../../../platform/common/api-docs.ts';
import { PATCH_TYPES } from '../../../platform/common/json/read-body.ts';
import { serviceVersion } from '../../../platform/common/version.ts';
import { Config } from '../../../platform/config/config.ts';
import { operationExamples } from './examples.ts';
import { extendSchemas } from './extended-schemas.ts';
import { leaveOut } from './left-out.ts';
import { separateNull } from './nullable.ts';
import { describeShared, operationsOf } from './shared-components.ts';

type PathItem = OpenAPIObject['paths'][string];

const BEARER_SCHEME = 'BearerToken';

const DESCRIPTION = `
Create user groups, issue their tokens, and tell embedded dashboards who is viewing.

**Start here.** \`PUT /api/user\` creates a user group and returns its token. \`POST /api/v1/introspect\` tells your renderer what a token means.

**Authentication.** Send \`Authorization: Token <API_TOKEN>\`. Paths below \`/api/v1\` also accept \`Bearer\`.

**Errors.** Every failed request returns an RFC 9457 problem with \`success: 0\`. Switch on \`code\`; treat an unknown code like its status. \`request_id\` finds the request in the log of the service.

**Pagination.** A list returns up to \`limit\` entries (50 by default, at most 200) and \`next_cursor\`. Repeat with \`cursor=<next_cursor>\` until it is absent. Events have their own cursor: \`after\`.

**Retries.** \`GET\`, \`PUT\` and \`DELETE\` are safe to repeat. Send an \`Idempotency-Key\` with each POST that takes one. After a 429 or 503 wait for \`Retry-After\` seconds. Every counted response says in \`RateLimit\` and \`RateLimit-Policy\` what is left; the response 429 describes them.

**Versions.** \`/api/user\` never changes. \`/api/v1\` can gain operations, optional inputs, fields of responses, and values of codes: ignore the unknown.`;

/** Builds the OpenAPI 3.1 document of everything the application serves. */
export async function buildOpenApi(
  app: INestApplication,
  { publicUrl }: Config,
): Promise<OpenAPIObject> {
  const swagger = await import('@nestjs/swagger');
  describeRecorded(swagger);
  const builder = new swagger.DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('User group service')
    .setDescription(DESCRIPTION.trim())
    .setVersion(serviceVersion)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addTag('User groups', 'User groups and their tokens: the contract.')
    .addTag('User groups (v1)', 'The same groups as resources of plain HTTP, without their tokens.')
    .addTag(
      'User group tokens',
      'Their tokens, for operators and for those who know the group alone.',
    )
    .addTag('Embed tokens', 'Short-lived tokens for pages, derived from a user group.')
    .addTag('Introspection', 'What a token means, for the renderers of dashboards.')
    .addTag('Revocation', 'Ends tokens for those who hold them, or have found them.')
    .addTag('Registry', 'The schemas and data sources that mappings refer to.')
    .addTag('Workspace', 'What a workspace asks of its user groups.')
    .addTag('Webhooks', 'Where the workspace is told of its events.')
    .addTag('API tokens', 'The tokens with which applications call this API.')
    .addTag('Overview', 'The workspace at a glance.')
    .addTag('System', 'The installation.')
    .addTag('Audit log', 'Who did what.')
    .addTag('Events', 'What has changed, to follow.')
    .addTag('Health', 'Probes for orchestrators and load balancers.')
    // The page of the document offers them in this order.
    .addSecurity(API_TOKEN_SCHEME, {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: `The word \`Token\`, a space, and the API token: \`Token uga_…\`. The first API token is BOOTSTRAP_API_TOKEN, or in the file \`bootstrap-token\` of DATA_DIR; \`user-group-service token create\` issues others. No scope implies another. Scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}.`,
    })
    .addSecurity(BEARER_SCHEME, {
      type: 'http',
      scheme: 'bearer',
      description:
        'The API token, for clients that can send only the standard scheme; not for `/api/user`.',
    })
    .addSecurity(CLIENT_SECRET_SCHEME, {
      type: 'http',
      scheme: 'basic',
      description:
        'The API token as the secret of an OAuth 2.0 client (RFC 6749, section 2.3.1), only for introspection. Any client id is accepted.',
    });
  // A relative URL is resolved against that of the document, so that it is right below any path of a proxy.
  if (publicUrl !== undefined) builder.addServer(publicUrl, 'PUBLIC_URL of the service');
  builder.addServer('.', 'The server of this document');
  const base = builder.build();
  base.info.contact = { name: 'The operator of this service' };
  const document = swagger.SwaggerModule.createDocument(app, base, { extraModels: baseSchemas() });
  document.paths = inOrderOfTags(document);
  documentSecurity(document);
  documentScopes(document);
  documentPatches(document);
  documentExamples(document);
  describeShared(document);
  extendSchemas(document);
  separateNull(document);
  if ('/api/v1/webhook-endpoints' in document.paths) document.webhooks = { event: WEBHOOK };
  leaveOut(document);
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

/** The service's own requests to the endpoints of a workspace. */
const WEBHOOK: PathItem = {
  post: {
    operationId: 'receiveEvent',
    summary: 'Receive an event',
    description:
      'What the service posts to the webhook endpoints of a workspace (Standard Webhooks 1.0). A message can arrive more than once, under the same `webhook-id`.',
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
              type: { type: 'string', description: 'What has happened: `noun.verb`.' },
              timestamp: { type: 'string', format: 'date-time', description: 'Time of the event.' },
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

/** Sorts the paths by the tag of their first operation; those of one tag keep the order of the modules. */
function inOrderOfTags({ paths, tags = [] }: OpenAPIObject): OpenAPIObject['paths'] {
  const order = tags.map(({ name }) => name);
  const indexOf = (item: PathItem) => order.indexOf(operationsOf(item)[0]?.tags?.[0] ?? '');
  const sorted = Object.entries(paths).sort(([, a], [, b]) => indexOf(a) - indexOf(b));
  return Object.fromEntries(sorted);
}

/** The schemes of most operations, which leave it to the document to name them. */
const SECURITY: Record<string, string[]>[] = [{ [API_TOKEN_SCHEME]: [] }, { [BEARER_SCHEME]: [] }];

/** Documents the standard scheme, which is accepted outside the contract's one path, and what needs no token. */
function documentSecurity(document: OpenAPIObject): void {
  document.security = SECURITY;
  for (const [path, item] of Object.entries(document.paths)) {
    for (const operation of operationsOf(item)) {
      operation.security ??= [];
      const takesBearer = operation.security.length > 0 && path.startsWith('/api/v1/');
      if (takesBearer) operation.security.push({ [BEARER_SCHEME]: [] });
      if (isDeepStrictEqual(operation.security, SECURITY)) delete operation.security;
    }
  }
}

interface ScopeExtensions {
  'x-required-scope'?: string;
  'x-required-scope-with'?: Record<string, string>;
}

/** Ends the description of each operation with its scopes, which most tools do not show otherwise. */
function documentScopes({ paths }: OpenAPIObject): void {
  for (const operation of Object.values(paths).flatMap(operationsOf)) {
    const { 'x-required-scope': scope, 'x-required-scope-with': others = {} } =
      operation as ScopeExtensions;
    if (scope === undefined) continue;
    const instead = Object.entries(others).map(
      ([field, other]) => ` With \`${field}\` instead: \`${other}\`.`,
    );
    const paragraphs = [operation.description, `Required scope: \`${scope}\`.${instead.join('')}`];
    operation.description = paragraphs.filter((text) => text !== undefined).join('\n\n');
  }
}

function documentPatches(document: OpenAPIObject): void {
  for (const { patch } of Object.values(document.paths)) {
    if (!patch?.requestBody || '$ref' in patch.requestBody) continue;
    const json = patch.requestBody.content['application/json']!;
    patch.requestBody.content = Object.fromEntries(PATCH_TYPES.map((type) => [type, json]));
  }
}

function documentExamples({ paths }: OpenAPIObject): void {
  for (const { operationId = '', requestBody, responses } of Object.values(paths).flatMap(
    operationsOf,
  )) {
    const example = operationExamples[operationId];
    if (!example) continue;
    const bodies = Object.entries(responses).map(([status, body]) =>
      status < '300' ? body : undefined,
    );
    for (const body of [requestBody, ...bodies]) {
      if (!body || '$ref' in body) continue;
      const value = body === requestBody ? example.request : example.response;
      for (const media of Object.values(body.content ?? {})) {
        media.examples = { example: { value } };
      }
    }
  }
}

/** Builds the same document without a database: in preview nothing is instantiated. */
export async function describeOpenApi(config = new Config()): Promise<OpenAPIObject> {
  const app = await NestFactory.create(AppModule.with(config), { preview: true, logger: false });
  return buildOpenApi(app, config);
}

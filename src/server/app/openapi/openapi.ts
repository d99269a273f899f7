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
import {
  type FeatureDefinition,
  ServedFeatures,
} from '../../../platform/common/extension/feature.ts';
import type { OpenApiParts } from '../../../platform/common/extension/openapi-parts.ts';
import { addProblems } from '../../../platform/common/operation.ts';
import { PATCH_TYPES } from '../../../platform/common/json/read-body.ts';
import { serviceVersion } from '../../../platform/common/version.ts';
import { Config } from '../../../platform/config/config.ts';
import { features } from '../features.ts';
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
  const served = features.filter(isServedBy(app));
  const parts = await partsOf(served);
  for (const { tags = {}, securitySchemes = {} } of parts) {
    for (const [name, about] of Object.entries(tags)) builder.addTag(name, about);
    for (const [name, scheme] of Object.entries(securitySchemes)) builder.addSecurity(name, scheme);
  }
  builder.addTag('Health', 'Probes for orchestrators and load balancers.');
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
  documentExamples(document, parts);
  documentProblems(document, parts);
  describeShared(document);
  extendSchemas(document);
  separateNull(document);
  documentWebhooks(document, parts);
  leaveOut(
    document,
    features.filter((one) => !served.includes(one)),
  );
  return document;
}

/** Features without routes are there in any case. */
function isServedBy(app: INestApplication): (feature: FeatureDefinition) => boolean {
  const served = app.get(ServedFeatures);
  return ({ name, modules }) => modules === undefined || served.has(name);
}

async function partsOf(some: readonly FeatureDefinition[]): Promise<OpenApiParts[]> {
  return Promise.all(some.flatMap(({ openapi }) => openapi?.() ?? []));
}

/** Returns the examples of the operations of every feature. */
export async function operationExamples(): Promise<NonNullable<OpenApiParts['examples']>> {
  return examplesOf(await partsOf(features));
}

function examplesOf(parts: readonly OpenApiParts[]): NonNullable<OpenApiParts['examples']> {
  return Object.assign({}, ...parts.map(({ examples }) => examples)) as NonNullable<
    OpenApiParts['examples']
  >;
}

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
      const takesToken = operation.security.some((scheme) => API_TOKEN_SCHEME in scheme);
      const takesBearer = takesToken && path.startsWith('/api/v1/');
      if (takesBearer) operation.security.push({ [BEARER_SCHEME]: [] });
      if (isDeepStrictEqual(operation.security, SECURITY)) delete operation.security;
    }
  }
}

interface ScopeExtensions {
  'x-required-scopes'?: string[];
  'x-required-scope-with'?: Record<string, string>;
}

/** Ends the description of each operation with its scopes, which most tools do not show otherwise. */
function documentScopes({ paths }: OpenAPIObject): void {
  for (const operation of Object.values(paths).flatMap(operationsOf)) {
    const { 'x-required-scopes': needed = [], 'x-required-scope-with': others = {} } =
      operation as ScopeExtensions;
    if (needed.length === 0) continue;
    const label = needed.length === 1 ? 'Required scope' : 'Required scopes';
    const names = needed.map((scope) => `\`${scope}\``).join(' and ');
    const instead = Object.entries(others).map(
      ([field, other]) => ` With \`${field}\` instead: \`${other}\`.`,
    );
    const paragraphs = [operation.description, `${label}: ${names}.${instead.join('')}`];
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

function documentExamples({ paths }: OpenAPIObject, parts: readonly OpenApiParts[]): void {
  const known = examplesOf(parts);
  for (const { operationId = '', requestBody, responses } of Object.values(paths).flatMap(
    operationsOf,
  )) {
    const example = known[operationId];
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

function documentProblems({ paths }: OpenAPIObject, parts: readonly OpenApiParts[]): void {
  const operations = Object.values(paths).flatMap(operationsOf);
  for (const [id, added] of parts.flatMap(({ problems = {} }) => Object.entries(problems))) {
    const operation = operations.find(({ operationId }) => operationId === id);
    if (operation) addProblems(operation.responses, added);
  }
}

/** Adds the requests that the service sends. */
function documentWebhooks(document: OpenAPIObject, parts: readonly OpenApiParts[]): void {
  const sent = parts.flatMap(({ webhooks = {} }) => Object.entries(webhooks));
  if (sent.length > 0) document.webhooks = Object.fromEntries(sent);
}

/** Builds the same document without a database: in preview nothing is instantiated. */
export async function describeOpenApi(config = new Config()): Promise<OpenAPIObject> {
  const app = await NestFactory.create(AppModule.with(config), { preview: true, logger: false });
  return buildOpenApi(app, config);
}

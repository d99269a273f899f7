import type { OpenAPIObject } from '@nestjs/swagger';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedResponses } from '../../src/platform/common/operation.ts';
import { Config } from '../../src/platform/config/config.ts';
import { buildOpenApi } from '../../src/server/app/openapi/openapi.ts';
import { handlersOf, type RoutedHandler } from '../support/events/handlers.ts';
import { startTestService } from '../support/test-service.ts';

const root = join(import.meta.dirname, '..', '..');

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  'x-required-scope-with'?: Record<string, string>;
};

/** A handler with its operation in the OpenAPI document, which those of the console do not have. */
interface Route extends RoutedHandler {
  operation: Operation | undefined;
  /** Codes of its errors. */
  codes: readonly string[];
}

/** The page docs/reference/routes.md: every handler that serves a route. */
export async function routesDocument(): Promise<string> {
  const { document, routes } = await readRoutes();
  const described = routes.filter(({ operation }) => operation);
  const all = commonCodes(described, []);
  const closed = commonCodes(
    described.filter(({ access }) => !access.isPublic),
    all,
  );
  const withBody = commonCodes(described.filter(takesBody), [...all, ...closed]);
  const withKey = commonCodes(described.filter(takesKey), [...all, ...closed, ...withBody]);
  const shared = [...all, ...closed, ...withBody, ...withKey];
  const sections = document.tags!.map(({ name }) => {
    const rows = described
      .filter(({ operation }) => operation!.tags![0] === name)
      .map((route) => rowOf(route, shared));
    return `## ${name}\n\n| Route | Scope | Takes | Handler | Errors |\n|---|---|---|---|---|\n${rows.join('\n')}`;
  });
  const undescribed = routes.filter(({ operation }) => !operation);
  return `# Routes

For developers and auditors: every route that a handler serves, with its scope and the place of its code, in the order of the [OpenAPI document](../../openapi.json). Other paths return a page or a file:
[public routes](access.md#public-routes) has them. \`/metrics\` is on a [port of its own](metrics.md).

This page is made from the code by \`npm run docs\`.

- **Scope** is what the API token needs. *Any* means that every valid API token will do, *session* that every session of the
  [console](../guides/console.md) will do, *public* that nothing is needed. [Who may do what](access.md#who-may-do-what) explains the scopes.
- **Takes** is \`body\` for a body, and \`key\` for an [\`Idempotency-Key\`](api.md#repeat-a-call-safely).
- **Errors** are the codes of the route itself. The codes that it shares with others are these:

| Routes | Errors |
|---|---|
| all | ${codeLinks(all)} |
| those that are not public | ${codeLinks(closed)} |
| those with a body | ${codeLinks(withBody)} |
| those with a key | ${codeLinks(withKey)} |

${sections.join('\n\n')}

## Console

These routes are not in the OpenAPI document. The page in \`console/\` calls them.

| Route | Scope | Handler |
|---|---|---|
${undescribed.map((route) => `| \`${pathOf(route)}\` | ${scopeOf(route)} | ${handlerLink(route)} |`).join('\n')}
`;
}

function rowOf(route: Route, shared: readonly string[]): string {
  const takes = [takesBody(route) && 'body', takesKey(route) && 'key'].filter(Boolean).join(', ');
  const own = route.codes.filter((code) => !shared.includes(code));
  return `| \`${pathOf(route)}\` | ${scopeOf(route)} | ${takes} | ${handlerLink(route)} | ${codeLinks(own)} |`;
}

async function readRoutes(): Promise<{ document: OpenAPIObject; routes: Route[] }> {
  const service = await startTestService('sqlite');
  const document = await buildOpenApi(service.app, new Config());
  const handlers = handlersOf(service.app);
  await service.close();
  const operations = new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [
        `${method.toUpperCase()} ${path}`,
        operation as Operation,
      ]),
    ),
  );
  const routes = handlers.map((handler) => {
    const operation = operations.get(pathOf(handler));
    return { ...handler, operation, codes: operation ? codesOf(operation) : [] };
  });
  const order = [...operations.keys()];
  const missing = order.filter((path) => !routes.some((route) => pathOf(route) === path));
  if (missing.length > 0) throw new Error(`no handler serves ${missing.join(', ')}`);
  routes.sort(
    (a, b) => order.indexOf(pathOf(a)) - order.indexOf(pathOf(b)) || (a.path < b.path ? -1 : 1),
  );
  return { document, routes };
}

/** `GET /api/v1/user-groups/{id}`, as the OpenAPI document spells a path. */
function pathOf({ method, path }: RoutedHandler): string {
  return `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
}

function codesOf({ responses }: Operation): string[] {
  return Object.values(responses).flatMap((response) => {
    const name = (response as { $ref?: string }).$ref?.split('/').at(-1);
    return name === undefined ? [] : sharedResponses.get(name)!.map(({ spec }) => spec.code);
  });
}

/** The codes that each of the routes has, without the known ones. */
function commonCodes([first, ...others]: readonly Route[], known: readonly string[]): string[] {
  return first!.codes.filter(
    (code) => !known.includes(code) && others.every(({ codes }) => codes.includes(code)),
  );
}

function takesBody({ operation }: Route): boolean {
  return operation?.requestBody !== undefined;
}

function takesKey({ operation }: Route): boolean {
  return JSON.stringify(operation?.parameters ?? []).includes('Idempotency-Key');
}

function scopeOf({ access: { scope, also, isPublic }, path, operation }: Route): string {
  if (isPublic) return '*public*';
  if (scope === undefined) return path.startsWith('/console/') ? '*session*' : '*any*';
  const others = Object.entries(operation?.['x-required-scope-with'] ?? {});
  return [
    [scope, ...(also ? [also] : [])].map((one) => `\`${one}\``).join(' and '),
    ...others.map(([field, other]) => `with \`${field}\`: \`${other}\``),
  ].join('; ');
}

function handlerLink({ controller, name }: Route): string {
  const path = controllerFiles().get(controller);
  if (path === undefined) throw new Error(`no file of src declares ${controller}`);
  return `[\`${controller}.${name}\`](../../${path})`;
}

let files: Map<string, string> | undefined;

/** The file of each controller, from the root. */
function controllerFiles(): Map<string, string> {
  files ??= new Map(
    readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.controllers?\.ts$/.test(name))
      .flatMap((name) => {
        const text = readFileSync(join(root, 'src', name), 'utf8');
        return [...text.matchAll(/\bclass (\w+)/g)].map(
          ([, found]) => [found!, `src/${name}`] as const,
        );
      }),
  );
  return files;
}

function codeLinks(codes: readonly string[]): string {
  return codes.map((code) => `[\`${code}\`](errors.md#${code})`).join(', ');
}

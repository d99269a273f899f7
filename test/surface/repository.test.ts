/* eslint-disable @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-call -- any part of a document may be changed to anything */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareOpenApi } from '../../scripts/surface/compare-openapi.mjs';
import { report, unnamedFindings } from '../../scripts/surface/findings.mjs';
import { withoutWords } from '../../scripts/surface/released.mjs';
import { RELEASED } from './released-document.ts';

const committed = join(import.meta.dirname, '..', '..');

/**
 * Checks the committed files: other tests hold that they are what the code does. While the version of
 * `api/released` is not published, `npm run api:release` accepts a change.
 */
test('nothing that was released changes without a BREAKING line in the changelog', () => {
  expect(unnamedFindings(committed)).toEqual([]);
});

test('without its words the document is less than a third, and nothing is missed', () => {
  const text = readFileSync(join(committed, 'openapi.json'), 'utf8');
  const document = JSON.parse(text) as object;
  const bare = withoutWords(document);
  expect(compareOpenApi(document, bare)).toEqual([]);
  expect(compareOpenApi(bare, document)).toEqual([]);
  expect(JSON.stringify(bare).length).toBeLessThan(text.length / 3);
});

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
type Changeable = any;

/** A kind of break, made in the document of the service, and a line that tells it. */
const breaks: [string, (document: Changeable) => unknown, string][] = [
  ['a removed path', (d) => delete d.paths['/api/v1/introspect'], '/api/v1/introspect: removed'],
  ['a removed operation', (d) => delete d.paths['/api/user'].put, 'PUT /api/user: removed'],
  [
    'a new required parameter',
    (d) =>
      d.paths['/api/v1/overview'].get.parameters.push({
        name: 'day',
        in: 'query',
        required: true,
        schema: {},
      }),
    'GET /api/v1/overview: query parameter day is new and required',
  ],
  [
    'a new required field of a request',
    (d) => d.components.schemas.CreateApiTokenRequest.required.push('audience'),
    'POST /api/v1/api-tokens: request body: audience is new and required (schema CreateApiTokenRequest)',
  ],
  [
    'a removed field of a response',
    (d) => delete d.components.schemas.WorkspaceIdentity.properties.id,
    'GET /api/v1/workspace/identity: response 200: workspace.id removed (schema WorkspaceIdentity)',
  ],
  [
    'another type of a response',
    (d) => (d.components.schemas.WorkspaceIdentity.properties.id.type = 'integer'),
    'GET /api/v1/workspace/identity: response 200: workspace.id was string, is integer (schema WorkspaceIdentity)',
  ],
  [
    'a removed value of a response',
    (d) => d.components.schemas.SystemDatabase.properties.kind.enum.pop(),
    'GET /api/v1/system: response 200: system.database.kind "sqlite" is no longer a value (schema SystemDatabase)',
  ],
  [
    'a removed value of a request',
    (d) => d.components.schemas.UpdateWorkspaceRequest.properties.view_as.enum.pop(),
    'PATCH /api/v1/workspace: request body: view_as "forbidden" is no longer taken (schema UpdateWorkspaceRequest, and 1 more)',
  ],
];

test.each(breaks)('%s of the service is found', (_name, change, line) => {
  const text = readFileSync(join(committed, 'openapi.json'), 'utf8');
  const document: Changeable = JSON.parse(text);
  change(document);
  expect(report(compareOpenApi(withoutWords(JSON.parse(text)), document), '')).toEqual([line]);
});

describe('a repository', () => {
  let root: string;
  const write = (name: string, content: string) => {
    writeFileSync(join(root, name), content);
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'user-groups-surface-'));
    mkdirSync(join(root, 'api'));
    write('openapi.json', JSON.stringify({ ...RELEASED, paths: {} }));
    write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n');
  });

  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  test('is compared with its release, the reports too', () => {
    mkdirSync(join(root, 'api', 'released'));
    write('api/released/openapi.json', JSON.stringify(RELEASED));
    write('api/released/client.api.md', '```ts\nexport const gone: string;\n```\n');
    expect(unnamedFindings(root)).toEqual([
      '/groups: removed',
      '/health: removed',
      'user-group-service/client: removed',
    ]);
  });
});

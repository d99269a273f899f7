import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { generatePython } from '../../scripts/clients/python.mjs';
import { generateMethods } from '../../scripts/clients/typescript.mjs';
import { describeOpenApi } from '../../src/server/app/openapi/openapi.ts';

const require = createRequire(import.meta.url);
const root = join(import.meta.dirname, '..', '..');

/** A type without a name would be written out in each operation that has it. */
const MAX_LINES_PER_OPERATION = 90;

/** `npm run client` writes them. */
test('openapi.json is the OpenAPI document', async () => {
  expectFile('openapi.json', `${JSON.stringify(await describeOpenApi(), null, 2)}\n`);
});

test('the types of the TypeScript client are those of the OpenAPI document', async () => {
  const document = await describeOpenApi();
  const types = generateTypeScript(document);
  const operations = Object.values<object>(document.paths).flatMap(Object.keys);
  expect(types.split('\n').length / operations.length).toBeLessThanOrEqual(MAX_LINES_PER_OPERATION);
  expectFile('clients/typescript/schema.d.ts', types);
});

test('the methods of the TypeScript client are those of the OpenAPI document', async () => {
  for (const [name, text] of Object.entries(generateMethods(await plainDocument()))) {
    expectFile(`clients/typescript/${name}`, formatted(text));
  }
});

test('the Python client is that of the OpenAPI document', async () => {
  for (const [name, text] of Object.entries(generatePython(await plainDocument()))) {
    expectFile(`clients/python/user_group_service/${name}`, text);
  }
});

test('what the Python client could not say is refused, never left out', async () => {
  const document = await plainDocument();
  const { get } = document.paths['/api/v1/user-groups']!;
  const generate = (change: object) => () =>
    generatePython({ ...document, paths: { '/x': { get: { ...get, ...change } } } });
  const parameter = (schema: object, name = 'x') => ({
    parameters: [{ name, in: 'query', schema }],
  });
  const answer = (content: object) => ({ responses: { 200: { content } } });
  expect(generate({})).not.toThrow();
  expect(generate({ callbacks: {} })).toThrow('has callbacks');
  expect(generate(parameter({ type: 'string', not: {} }))).toThrow('has not');
  expect(generate(parameter({ type: 'strange' }))).toThrow('no type');
  expect(generate(parameter({ type: 'object', properties: {} }))).toThrow('without a name');
  expect(generate(parameter({ type: 'integer' }, 'timeout'))).toThrow('two arguments');
  expect(
    generate({ parameters: [{ name: 'x', in: 'cookie', schema: { type: 'string' } }] }),
  ).toThrow('cookie');
  expect(generate({ responses: { 202: {} } })).toThrow('with nothing');
  expect(generate(answer({ 'text/csv': { schema: { type: 'string' } } }))).toThrow('text/csv');
});

test.each(['python', 'typescript'])('the %s client has the licence of the project', (client) => {
  expect(read(`clients/${client}/LICENSE`)).toBe(read('LICENSE'));
});

interface PlainDocument {
  paths: Record<string, Record<string, object>>;
}

/** The document that is published, without undefined fields. */
async function plainDocument(): Promise<PlainDocument> {
  return JSON.parse(JSON.stringify(await describeOpenApi())) as PlainDocument;
}

function expectFile(path: string, wanted: string): void {
  if (process.env['UPDATE_CLIENT']) writeFileSync(join(root, path), wanted);
  if (read(path) !== wanted) throw new Error(`${path} is not up to date: run "npm run client".`);
}

function read(path: string): string {
  const full = join(root, path);
  return existsSync(full) ? readFileSync(full, 'utf8') : '';
}

/** Formats by the command line, because Jest cannot load the library. */
function formatted(code: string): string {
  const tool = join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs');
  const args = [tool, '--stdin-filepath', 'clients/typescript/client.ts'];
  return execFileSync(process.execPath, args, { input: code, encoding: 'utf8', cwd: root });
}

/** Generates by the tool's command line: Jest cannot load the modules of its library. */
function generateTypeScript(document: object): string {
  const tool = dirname(require.resolve('openapi-typescript/package.json'));
  // A field with a default need not be sent.
  const args = [join(tool, 'bin', 'cli.js'), '--default-non-nullable', 'false'];
  // The document has the examples; in the comments of types they would be a third of the lines.
  const input = JSON.stringify(document, (key, value: unknown) =>
    key === 'example' ? undefined : value,
  );
  const types = execFileSync(process.execPath, args, { input, encoding: 'utf8', cwd: root });
  // No path has these methods.
  return types.replaceAll(/^ +(options|head|trace)\?: never;\n/gm, '');
}

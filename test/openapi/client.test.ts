import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeOpenApi } from '../../src/docs/openapi';

const root = join(__dirname, '..', '..');
const path = join(root, 'clients', 'typescript', 'schema.d.ts');

/** `npm run client` writes it. */
test('the types of the client are those of the OpenAPI document', async () => {
  const wanted = generate(await describeOpenApi());
  if (process.env['UPDATE_CLIENT']) writeFileSync(path, wanted);
  const current = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (current !== wanted) {
    throw new Error('clients/typescript/schema.d.ts is not up to date: run "npm run client".');
  }
});

/** By the tool's command line: its library is made of modules that Jest cannot load. */
function generate(document: object): string {
  const tool = dirname(require.resolve('openapi-typescript/package.json'));
  // A field with a default need not be sent.
  const args = [join(tool, 'bin', 'cli.js'), '--default-non-nullable', 'false'];
  return execFileSync(process.execPath, args, {
    input: JSON.stringify(document),
    encoding: 'utf8',
    cwd: root,
  });
}

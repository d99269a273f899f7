import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliDocument } from './render-cli.ts';
import { configTables, envExample, errorsDocument } from './render.ts';

const root = join(import.meta.dirname, '..', '..');
const TABLE = /(<!-- configuration -->\n)[\s\S]*?(\n<!-- \/configuration -->)/;

/** Each document as it is and as the code says it should be; `npm run docs` writes the latter. */
const documents: Record<string, (current: string) => string | Promise<string>> = {
  '.env.example': envExample,
  'docs/cli.md': cliDocument,
  'docs/errors.md': errorsDocument,
  'README.md': (current) => {
    expect(current).toMatch(TABLE);
    return current.replace(TABLE, (_all, begin: string, end: string) => begin + configTables() + end);
  },
};

test.each(Object.entries(documents))('%s says what the code does', async (name, render) => {
  const path = join(root, name);
  const current = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const wanted = await render(current);
  if (process.env['UPDATE_DOCS']) writeFileSync(path, wanted);
  else expect(current).toBe(wanted);
});

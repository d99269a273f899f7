// Precedes the settings, whose types it records.
import 'reflect-metadata';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliDocument } from './render-cli.ts';
import { featuresDocument } from './render-features.ts';
import { optionsFile } from './render-options.ts';
import { metricsDocument } from './render-metrics.ts';
import { routesDocument } from './render-routes.ts';
import { sqlDocuments } from './render-sql.ts';
import { configTables, envExample, errorsDocument, settingsTable } from './render.ts';

const root = join(import.meta.dirname, '..', '..');

/** Each document as it is and as the code says it should be; `npm run docs` writes the latter. */
const documents: Record<string, (current: string) => string | Promise<string>> = {
  '.env.example': envExample,
  'docs/reference/cli.md': cliDocument,
  'docs/reference/errors.md': errorsDocument,
  'docs/reference/features.md': featuresDocument,
  'docs/reference/metrics.md': metricsDocument,
  'docs/reference/routes.md': routesDocument,
  'docs/reference/configuration.md': (current) => between('configuration', configTables(), current),
  ...sqlDocuments,
  'src/server/app/declared-options.ts': optionsFile,
  'README.md': (current) => between('settings', settingsTable(), current),
};

test.each(Object.entries(documents))('%s says what the code does', async (name, render) => {
  const path = join(root, name);
  const current = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const wanted = await render(current);
  if (process.env['UPDATE_DOCS']) writeFileSync(path, wanted);
  else expect(current).toBe(wanted);
});

test('docs/sql has a file for each form of a statement, and no other', () => {
  const files = readdirSync(join(root, 'docs', 'sql')).map((name) => `docs/sql/${name}`);
  expect(files.sort()).toEqual(Object.keys(sqlDocuments).sort());
});

/** The page with this text between the marks of the name. */
function between(mark: string, text: string, page: string): string {
  const marked = new RegExp(`(<!-- ${mark} -->\\n)[\\s\\S]*?(<!-- /${mark} -->)`);
  expect(page).toMatch(marked);
  return page.replace(marked, (_all, begin: string, end: string) => `${begin}${text}\n${end}`);
}

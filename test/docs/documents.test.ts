// Precedes the settings, whose types it records.
import 'reflect-metadata';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asvsDocument } from './render-asvs.ts';
import { cliDocument } from './render-cli.ts';
import { featuresDocument } from './render-features.ts';
import { optionsFile } from './render-options.ts';
import { limitsDocument } from './render-limits.ts';
import { metricsDocument } from './render-metrics.ts';
import { routesDocument } from './render-routes.ts';
import { statementsByName } from '../../src/platform/database/statement.ts';
import { sqlDocuments, WRITES } from './render-sql.ts';
import { configurationDocument, envExample, errorsDocument, settingsTable } from './render.ts';

const root = join(import.meta.dirname, '..', '..');

/** Each document as it is and as the code says it should be; `npm run docs` writes the latter. */
const documents: Record<string, (current: string) => string | Promise<string>> = {
  '.env.example': envExample,
  'docs/reference/cli.md': cliDocument,
  'docs/reference/configuration.md': configurationDocument,
  'docs/reference/errors.md': errorsDocument,
  'docs/security/asvs.md': asvsDocument,
  'docs/reference/features.md': featuresDocument,
  'docs/reference/limits.md': limitsDocument,
  'docs/reference/metrics.md': metricsDocument,
  'docs/reference/routes.md': routesDocument,
  ...sqlDocuments,
  'src/server/app/declared/options.ts': optionsFile,
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

/** Files with SQL of their own: a step of the statements that record, and writes to the empty database of a move. */
const ELSEWHERE = [
  'core/change-log/change-log.ts',
  'server/cli/move/migrate-data.ts',
  'server/cli/move/table-layout.ts',
];

describe('no write is missing in docs/sql:', () => {
  const src = join(root, 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/migrations?[./]/.test(path))
    .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));

  test('each statement of the sources is loaded, so that it can be listed', () => {
    const made = files.flatMap(({ text }) =>
      [...text.matchAll(/\bstatement(?:<[^;]*?>)?\(\s*'([^']+)'/g)].map(([, name]) => name!),
    );
    expect(made.length).toBeGreaterThan(50);
    expect(made.filter((name) => !statementsByName.has(name))).toEqual([]);
  });

  test('SQL that changes rows stands in statements', () => {
    const elsewhere = files.filter(
      ({ path, text }) =>
        WRITES.test(text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')) &&
        !/from '.*\/(statement|expiry-sweep)\.ts'/.test(text) &&
        !path.endsWith('dialect.ts'),
    );
    expect(elsewhere.map(({ path }) => path).sort()).toEqual(ELSEWHERE);
  });

  test('TypeORM makes none', () => {
    const saving = files.filter(({ text }) =>
      /\bmanager\.(save|insert|update|upsert|delete|remove|increment|decrement|softDelete|createQueryBuilder)\(/.test(
        text,
      ),
    );
    expect(saving.map(({ path }) => path)).toEqual([]);
  });
});

/** The page with this text between the marks of the name. */
function between(mark: string, text: string, page: string): string {
  const marked = new RegExp(`(<!-- ${mark} -->\\n)[\\s\\S]*?(<!-- /${mark} -->)`);
  expect(page).toMatch(marked);
  return page.replace(marked, (_all, begin: string, end: string) => `${begin}${text}\n${end}`);
}

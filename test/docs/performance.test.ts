import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

test('docs/operate/performance.md, its charts and docs/operate/scaling.md show the JSON of the benchmark; `npm run docs` renders them', () => {
  const script = join(root, 'bench', 'document.mjs');
  const printed = execFileSync(process.execPath, [script], { encoding: 'utf8' });
  const files = JSON.parse(printed) as Record<string, string>;
  expect(Object.keys(files)).toHaveLength(4);
  for (const [name, wanted] of Object.entries(files)) {
    const path = join(root, name);
    if (process.env['UPDATE_DOCS']) writeFileSync(path, wanted);
    else expect(readFileSync(path, 'utf8')).toBe(wanted);
  }
});

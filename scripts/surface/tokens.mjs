// Counts the tokens of each wing of src, without comments, however the lines are broken. `platform` and `core` are what
// one has to read to change the core.
//
//   node scripts/surface/tokens.mjs
import console from 'node:console';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import ts from 'typescript';

const src = join(import.meta.dirname, '..', '..', 'src');

/** @returns the number of tokens of each folder of src */
export function countTokens() {
  return Object.fromEntries(
    readdirSync(src, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => [name, filesOf(name).reduce((sum, path) => sum + tokensOf(path), 0)]),
  );
}

function filesOf(wing) {
  return readdirSync(join(src, wing), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(src, wing, name));
}

function tokensOf(path) {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  let count = 0;
  const visit = (node) => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(file);
    if (children.length === 0 && node.getWidth(file) > 0) count += 1;
    else children.forEach(visit);
  };
  visit(file);
  return count;
}

if (process.argv[1] === import.meta.filename) console.table(countTokens());

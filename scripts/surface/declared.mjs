// Writes the lists of what `*.catalogue.ts` and `*.settings.ts` declare, in src/server/app. Entries keep their order, which
// is that of the documents; new ones follow at the end.
//
//   node scripts/surface/declared.mjs [--check]
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { format, resolveConfig } from 'prettier';

const root = join(import.meta.dirname, '..', '..');
const app = join(root, 'src', 'server', 'app');

const LISTS = {
  'declared-actions.ts': {
    declaredActions: { files: '.catalogue.ts', names: /\bconst (\w+Actions)\b/ },
  },
  'declared.ts': {
    declaredScopes: { files: '.catalogue.ts', names: /\bconst (\w+Scopes)\b/, isSpread: true },
    declaredSettings: { files: '.settings.ts', names: /\bclass (\w+Settings)\b/ },
  },
};

for (const [file, lists] of Object.entries(LISTS)) {
  const path = join(app, file);
  const present = readFileSync(path, { encoding: 'utf8', flag: 'a+' });
  const text = await format(textOf(lists, present), {
    ...(await resolveConfig(path)),
    filepath: path,
  });
  if (text === present) continue;
  if (process.argv.includes('--check')) throw new Error(`${file} is not what npm run docs writes`);
  writeFileSync(path, text);
}

function textOf(lists, present) {
  const [imports, constants] = [[], []];
  for (const [list, { files, names, isSpread }] of Object.entries(lists)) {
    const found = declarationsIn(files, names).sort(
      (one, other) => placeIn(present, one) - placeIn(present, other),
    );
    imports.push(...found.map(({ name, path }) => `import { ${name} } from '${path}';`));
    const entries = found.map(({ name }) => (isSpread ? `...${name}` : name));
    constants.push(`export const ${list} = [${entries.join(', ')}] as const;`);
  }
  return ['// Written by `npm run docs`.', ...imports, '', ...constants, ''].join('\n');
}

/** @returns the exported name in each of these files, with its path as an import has it */
function declarationsIn(ending, names) {
  return readdirSync(join(root, 'src'), { recursive: true })
    .filter((path) => path.endsWith(ending))
    .sort()
    .flatMap((path) => {
      const [, name] = names.exec(readFileSync(join(root, 'src', path), 'utf8')) ?? [];
      return name === undefined ? [] : [{ name, path: `../../${path}` }];
    });
}

function placeIn(text, { name }) {
  const place = text.indexOf(`import { ${name} }`);
  return place === -1 ? text.length : place;
}

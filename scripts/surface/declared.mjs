// Writes the lists of the scopes, actions and settings of the features, in src/server/app: they are needed where no feature
// is loaded. Entries keep their order, which is that of the documents; new ones follow at the end.
//
//   node scripts/surface/declared.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { format, resolveConfig } from 'prettier';
import { declarations } from './declarations.mjs';

const app = join(import.meta.dirname, '..', '..', 'src', 'server', 'app');

const LISTS = {
  'declared-actions.ts': { declaredActions: { member: 'actions' } },
  'declared.ts': {
    declaredScopes: { member: 'scopes', isSpread: true },
    declaredSettings: { member: 'settings' },
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
  for (const [list, { member, isSpread }] of Object.entries(lists)) {
    const found = declarations()
      .flatMap(({ imported }) => imported[member] ?? [])
      .sort((one, other) => placeIn(present, one) - placeIn(present, other));
    imports.push(...found.map(({ name, path }) => `import { ${name} } from '../../${path}';`));
    const entries = found.map(({ name }) => (isSpread ? `...${name}` : name));
    constants.push(`export const ${list} = [${entries.join(', ')}] as const;`);
  }
  return ['// Written by `npm run docs`.', ...imports, '', ...constants, ''].join('\n');
}

function placeIn(text, { name }) {
  const place = text.indexOf(`import { ${name} }`);
  return place === -1 ? text.length : place;
}

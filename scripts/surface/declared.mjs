// Writes the list of the features, and the lists of their scopes, actions and settings, in src/server/app/declared: the latter are
// needed where no feature is loaded. Entries keep their order, which is that of the documents; new ones follow at the end.
//
//   node scripts/surface/declared.mjs [--check]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { format, resolveConfig } from 'prettier';
import { declarations } from './declarations.mjs';

const app = join(import.meta.dirname, '..', '..', 'src', 'server', 'app', 'declared');

const LISTS = {
  'actions.ts': { declaredActions: { member: 'actions' } },
  'scopes-and-settings.ts': {
    declaredScopes: { member: 'scopes', isSpread: true },
    declaredSettings: { member: 'settings' },
  },
};

for (const [file, lists] of Object.entries(LISTS)) {
  await write(file, (present) => textOf(lists, present));
}
await write('features.ts', featuresText);

async function write(file, textFor) {
  const path = join(app, file);
  const present = readFileSync(path, { encoding: 'utf8', flag: 'a+' });
  const text = await format(textFor(present), {
    ...(await resolveConfig(path)),
    filepath: path,
  });
  if (text === present) return;
  if (process.argv.includes('--check')) throw new Error(`${file} is not what npm run docs writes`);
  writeFileSync(path, text);
}

function textOf(lists, present) {
  const [imports, constants] = [[], []];
  for (const [list, { member, isSpread }] of Object.entries(lists)) {
    const found = declarations()
      .flatMap(({ imported }) => imported[member] ?? [])
      .sort((one, other) => placeIn(present, one) - placeIn(present, other));
    imports.push(...found.map(({ name, path }) => `import { ${name} } from '../../../${path}';`));
    const entries = found.map(({ name }) => (isSpread ? `...${name}` : name));
    constants.push(`export const ${list} = [${entries.join(', ')}] as const;`);
  }
  return ['// Written by `npm run docs`.', ...imports, '', ...constants, ''].join('\n');
}

function featuresText(present) {
  const found = declarations()
    .map(({ constant, ...one }) => ({ ...one, name: constant, feature: one.name }))
    .sort((one, other) => placeIn(present, one) - placeIn(present, other));
  const [routed, ground] = [true, false].map((has) => found.filter((one) => one.hasRoutes === has));
  const names = routed.filter(({ isSwitched }) => !isSwitched).map(({ feature }) => `'${feature}'`);
  const list = (of) => `readonly FeatureDefinition[] = [${of.map(({ name }) => name).join(', ')}];`;
  return `// Written by \`npm run docs\`.
import type { FeatureDefinition } from '../../../platform/common/extension/feature.ts';
${found.map(({ name, path }) => `import { ${name} } from '../../../${path}';`).join('\n')}

/** A part of the HTTP interface that an application can have or leave out. */
export type Feature = ${names.join(' | ')};

/** The features whose routes an application can choose, in the order of the documents. */
export const routedFeatures: ${list(routed)}

/** The features without routes, which cannot be left out; one above the core says in \`always\` why. */
export const groundFeatures: ${list(ground)}
`;
}

function placeIn(text, { name }) {
  const place = text.indexOf(`import { ${name} }`);
  return place === -1 ? text.length : place;
}

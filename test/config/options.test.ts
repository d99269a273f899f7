// Precedes the settings, whose types it records.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Feature } from '../../src/server/app/declared/features.ts';
import { chooseFeatures } from '../../src/server/app/features.ts';
import { integer, list } from '../../src/platform/config/readers.ts';
import { FromEnv } from '../../src/platform/config/variable.ts';
import { OF_THE_PROCESS, optionsOf } from '../docs/render-options.ts';
import { variables } from '../support/code/variables.ts';

const root = join(import.meta.dirname, '..', '..');

/** The names between the braces of an interface or a type in a file of src. */
function membersOf(path: string, pattern: RegExp, member: RegExp): string[] {
  const [, body = ''] = pattern.exec(readFileSync(join(root, path), 'utf8')) ?? [];
  return [...body.matchAll(member)].map(([, name]) => name!);
}

test('an application that embeds the service has an option for each variable, but for those of a process', () => {
  const options = membersOf(
    'src/server/app/declared/options.ts',
    /interface UserGroupOptions \{\n([\s\S]*?)\n\}/,
    /^ {2}(\w+)\?:/gm,
  );
  expect(variables.map(({ name }) => name)).toEqual(expect.arrayContaining(OF_THE_PROCESS));
  const wanted = variables
    .filter(({ name }) => !OF_THE_PROCESS.includes(name))
    .map(({ property }) => property);
  expect(options.filter((name) => name !== 'pluginSettings').sort()).toEqual(wanted.sort());
});

test('an option has the sentence and the kind of its variable, also of one that a feature declares', () => {
  class LanternSettings {
    @FromEnv('LANTERN_LIMIT', { about: 'Lanterns in `LANTERN_PLACES`.', read: integer(1, 9) })
    lanternLimit?: number;

    @FromEnv('LANTERN_LIGHT', { about: '`on` lights; see [Light](docs/README.md).', read: Boolean })
    lanternLight = true;

    @FromEnv('LANTERN_PLACES', { about: 'Places.', secret: true, read: list })
    lanternPlaces?: string[];
  }
  expect(optionsOf([LanternSettings])).toBe(`  /** Lanterns in \`lanternPlaces\`. */
  lanternLimit?: number;
  /** \`true\` lights; see Light. */
  lanternLight?: boolean;
  /** Places. */
  lanternPlaces?: string;`);
});

test('the error of an unknown feature names every one, and the page on the library leads to their list', () => {
  const features = membersOf(
    'src/server/app/declared/features.ts',
    /type Feature =\n([\s\S]*?);/,
    /'([\w-]+)'/g,
  );
  expect(() => chooseFeatures({ features: ['none' as Feature] })).toThrow(
    `http.features names none, which is no feature; they are all, core, ${features.join(', ')}.`,
  );
  const page = readFileSync(join(root, 'docs', 'extend', 'library.md'), 'utf8');
  const [, row = ''] = /^\| `http\.features` \| (.*?); all by default/m.exec(page) ?? [];
  // `npm run docs` makes the list from the declarations.
  expect(row).toContain('[features](../reference/features.md)');
  expect([...row.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!).sort()).toEqual(['all', 'core']);
  expect(features.length).toBeGreaterThan(10);
});

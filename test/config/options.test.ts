import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseFeatures, type Feature } from '../../src/server/app/features.ts';
import { variables } from '../support/code/variables.ts';

const root = join(import.meta.dirname, '..', '..');

/** Belong to the process, its server, its log or its plugins, which an application has of its own. */
const OF_THE_PROCESS = [
  ...[
    'HOST',
    'PORT',
    'METRICS_PORT',
    'TRUST_PROXY',
    'SHUTDOWN_DELAY_SECONDS',
    'LOG_LEVEL',
    'LOG_FORMAT',
  ],
  ...['DOCS', 'CONSOLE', 'PLUGINS', 'FEATURES'],
];

/** The names between the braces of an interface or a type in a file of src. */
function membersOf(path: string, pattern: RegExp, member: RegExp): string[] {
  const [, body = ''] = pattern.exec(readFileSync(join(root, path), 'utf8')) ?? [];
  return [...body.matchAll(member)].map(([, name]) => name!);
}

test('an application that embeds the service has an option for each variable, but for those of a process', () => {
  const options = membersOf(
    'src/server/app/options.ts',
    /interface UserGroupOptions \{\n([\s\S]*?)\n\}/,
    /^ {2}(\w+)\?:/gm,
  );
  const wanted = variables
    .filter(({ name }) => !OF_THE_PROCESS.includes(name))
    .map(({ property }) => property);
  expect(options.filter((name) => name !== 'pluginSettings').sort()).toEqual(wanted.sort());
});

test('the page on the library lists every feature', () => {
  const features = membersOf(
    'src/server/app/features.ts',
    /type Feature =\n([\s\S]*?);/,
    /'([\w-]+)'/g,
  );
  expect(() => chooseFeatures({ features: ['none' as Feature] })).toThrow(
    `http.features names none, which is no feature; they are all, core, ${features.join(', ')}.`,
  );
  const page = readFileSync(join(root, 'docs', 'extend', 'library.md'), 'utf8');
  const [, row = ''] = /^\| `http\.features` \| (.*?); all by default/m.exec(page) ?? [];
  expect([...row.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!).sort()).toEqual(
    ['all', 'core', ...features].sort(),
  );
  expect(features.length).toBeGreaterThan(10);
});

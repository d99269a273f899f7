import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { ownScopes } from '../../src/server/app/catalogues.ts';
import { features } from '../../src/server/app/features.ts';
import { ownActions } from '../../src/server/app/own-actions.ts';
import { ownSettings } from '../../src/platform/config/settings.ts';
import { errorClasses } from '../support/code/error-classes.ts';
import { imports, literals } from '../support/code/source-code.ts';

const wingOf = (path: string) => path.split('/')[1]!;
const isBelowFeatures = (path: string) => ['platform', 'core'].includes(wingOf(path));

test('the lists of scopes, actions and settings have each that a feature declares', () => {
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'surface', 'declared.mjs');
  execFileSync(process.execPath, [script, '--check']);
  const declared = {
    scopes: features.flatMap(({ scopes = [] }) => scopes).sort(),
    actions: features.flatMap(({ actions = {} }) => Object.values(actions).flat()).sort(),
    settings: new Set(features.flatMap(({ settings = [] }) => settings)),
  };
  expect(declared).toEqual({
    scopes: [...ownScopes].sort(),
    actions: ownActions,
    settings: new Set(ownSettings),
  });
});

test('each error of the core or a feature is a member of one declaration', () => {
  const declared = features.flatMap(({ problems = {} }) =>
    Object.values(problems).map(({ spec }) => spec.code),
  );
  const codes = errorClasses
    .filter(({ path }) => wingOf(path) !== 'platform')
    .map(({ code }) => code);
  expect(declared.sort()).toEqual(codes.sort());
});

test('each error is used in the wing that declares it', () => {
  expect(errorClasses.length).toBeGreaterThan(40);
  const elsewhere = errorClasses.filter(
    ({ path, name }) =>
      !imports.some((one) => wingOf(one.path) === wingOf(path) && one.names.includes(name)),
  );
  expect(elsewhere).toEqual([]);
});

test('platform and core name no error of a feature', () => {
  const codes = errorClasses
    .filter(({ path }) => wingOf(path) === 'features')
    .map(({ code }) => code);
  expect(codes).toContain('webhook_endpoint_not_found');
  expect(
    literals.filter(({ path, text }) => isBelowFeatures(path) && codes.includes(text)),
  ).toEqual([]);
});

const declarations = literals.filter(({ path }) => path.endsWith('.catalogue.ts'));

/** Lists the places of a name beside its one declaration. */
function placesOf(name: string) {
  const declared = declarations.filter(({ text }) => text === name).map(({ path }) => path);
  expect([name, declared]).toEqual([name, [expect.any(String)]]);
  const folder = dirname(declared[0]!);
  const others = literals
    .filter(({ path, text }) => text === name && path !== declared[0])
    .map(({ path }) => path);
  const below = wingOf(folder) === 'features' ? others.filter(isBelowFeatures) : [];
  return { folder, others, below };
}

test('each scope is named in the folder that declares it, and below features only if it is declared there', () => {
  for (const scope of ownScopes) {
    const { folder, others, below } = placesOf(scope);
    expect([scope, others]).toEqual([
      scope,
      expect.arrayContaining([expect.stringContaining(`${folder}/`)]),
    ]);
    expect([scope, below]).toEqual([scope, []]);
  }
});

/** Lists for an index which changes are of what mappings refer to. */
const OF_THE_SCHEMA = [
  'src/platform/database/migrations/create-schema/log-and-events.ts',
  'src/core/change-log/change-event.entity.ts',
];

test('each action is declared once, and named below features only if it is declared there', () => {
  expect(ownActions.length).toBeGreaterThan(40);
  for (const action of ownActions) {
    const below = placesOf(action).below.filter((path) => !OF_THE_SCHEMA.includes(path));
    expect([action, below]).toEqual([action, []]);
  }
});

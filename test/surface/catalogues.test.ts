import { dirname } from 'node:path';
import { ownScopes } from '../../src/server/app/catalogues.ts';
import { errorClasses } from '../support/code/error-classes.ts';
import { imports, literals } from '../support/code/source-code.ts';

const wingOf = (path: string) => path.split('/')[1]!;
const isBelowFeatures = (path: string) => ['platform', 'core'].includes(wingOf(path));

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

test('each scope is named in the folder that declares it, and below features only if it is declared there', () => {
  const declarations = literals.filter(({ path }) => path.endsWith('.catalogue.ts'));
  for (const scope of ownScopes) {
    const declared = declarations.filter(({ text }) => text === scope).map(({ path }) => path);
    expect([scope, declared]).toEqual([scope, [expect.any(String)]]);
    const folder = dirname(declared[0]!);
    const others = literals.filter(({ path, text }) => text === scope && path !== declared[0]);
    expect([scope, others.map(({ path }) => path)]).toEqual([
      scope,
      expect.arrayContaining([expect.stringContaining(`${folder}/`)]),
    ]);
    const below = others.filter(({ path }) => isBelowFeatures(path));
    if (wingOf(folder) === 'features') expect([scope, below]).toEqual([scope, []]);
  }
});

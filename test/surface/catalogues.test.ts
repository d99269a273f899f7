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

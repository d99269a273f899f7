import * as errors from '../../src/common/errors.ts';

const classes = Object.values(errors).filter(
  (value): value is typeof errors.ServiceError =>
    typeof value === 'function' && value.prototype instanceof errors.ServiceError,
);

test('every error class is in the catalogue, once', () => {
  expect(classes.length).toBeGreaterThan(40);
  expect(new Set(errors.errorCatalogue)).toEqual(new Set(classes.map(({ spec }) => spec)));
  expect(errors.errorCatalogue).toHaveLength(classes.length);
});

test('codes are unique and ordered by status', () => {
  const specs = errors.errorCatalogue;
  expect(new Set(specs.map(({ code }) => code)).size).toBe(specs.length);
  const statuses = specs.map(({ status }) => status);
  expect(statuses).toEqual([...statuses].sort((a, b) => a - b));
});

test('what HTTP asks for goes with the status', () => {
  const headersOf = (status: number) =>
    classes
      .filter(({ spec }) => spec.status === status)
      .map((ErrorClass) =>
        Object.keys(
          new (ErrorClass as unknown as new (value: string) => errors.ServiceError)('1').headers,
        ),
      );
  for (const names of headersOf(401)) expect(names).toContain('WWW-Authenticate');
  for (const names of headersOf(405)) expect(names).toContain('Allow');
  for (const names of [...headersOf(429), ...headersOf(503)])
    expect(names).toContain('Retry-After');
});

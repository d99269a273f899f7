import { join } from 'node:path';
// Comes first: all else that is loaded adds nothing to the catalogue.
import '../../src/server/app/features.ts';
import { errorCatalogue, ServiceError } from '../../src/platform/common/problem/problem.ts';
import { exampleProblem } from '../../src/platform/common/problem/problem.dto.ts';
import { read } from '../support/api/pages.ts';
import { errorClasses } from '../support/code/error-classes.ts';
import { errorFixes } from './error-fixes.ts';

const catalogue = [...errorCatalogue];
const root = join(import.meta.dirname, '..', '..');
let classes: (typeof ServiceError)[];

beforeAll(async () => {
  const files = [...new Set(errorClasses.map(({ path }) => path))];
  const modules = await Promise.all(
    files.map((path) => import(join(root, path)) as Promise<Record<string, unknown>>),
  );
  classes = modules
    .flatMap((module) => Object.values(module))
    .filter(
      (value): value is typeof ServiceError =>
        typeof value === 'function' && value.prototype instanceof ServiceError,
    );
});

test('once the features are loaded, the catalogue has every error class, each once', () => {
  expect(classes.length).toBeGreaterThan(40);
  expect(classes).toHaveLength(errorClasses.length);
  expect(new Set(catalogue)).toEqual(new Set(classes.map(({ spec }) => spec)));
  expect(catalogue).toHaveLength(classes.length);
});

test('every code has a fix, and no other has one', () => {
  expect(Object.keys(errorFixes).sort()).toEqual(catalogue.map(({ code }) => code).sort());
});

test('the last part of each type is the heading of its section', () => {
  const page = read('docs/reference/errors.md');
  const anchors = catalogue.map((spec) => exampleProblem(spec).type.split(':').at(-1)!);
  expect(anchors.filter((anchor) => !page.includes(`\n### ${anchor}\n`))).toEqual([]);
});

/** Brings about the example where the message depends on what is wrong. */
const causes: Record<string, unknown[]> = {
  json_malformed: [17],
  json_duplicate_key: [17],
  insufficient_scope: ['user-groups:write'],
  grant_exceeds_caller: ['Your API token does not have the scope "user-groups:write".'],
  method_not_allowed: ['GET'],
  user_group_quota_reached: [100],
  quota_reached: [60],
  user_group_renamed: ['acme-emea', 'acme-emea-2030'],
  user_group_id_taken: ['Another user group has the id "acme-emea-2030".'],
  provided_id_taken: ['The workspace already has a schema with this provided_id.'],
  body_too_large: [262_144],
  validation_failed: [[{ pointer: '/name', code: 'empty', detail: 'The text must not be empty.' }]],
  rate_limited: ['The API token has made too many requests.', 1],
  target_value_missing: [
    'The target needs a value for /claims/region: There is no variables.region for this token.',
    {
      violations: [
        {
          pointer: '/claims/region',
          code: 'required',
          detail: 'There is no variables.region for this token.',
        },
      ],
    },
  ],
  target_value_refused: [
    'No token is issued: at /row_filters/0/value of the target: The value must be of the type integer.',
    {
      violations: [
        {
          pointer: '/row_filters/0/value',
          code: 'not_acceptable',
          detail: 'The value must be of the type integer.',
        },
      ],
    },
  ],
  too_many_at_once: [2, 'exports of the API token'],
};

test('the example of an error is what its class says', () => {
  const said = classes.map((ErrorClass) => {
    const { code } = ErrorClass.spec;
    const Kind = ErrorClass as unknown as new (...args: unknown[]) => ServiceError;
    return [code, new Kind(...(causes[code] ?? [])).message];
  });
  const examples = catalogue.map(({ code, about, detail = about }) => [code, detail]);
  // A refusal by an extension has its words alone.
  const own = 'refused';
  expect(said.filter(([code]) => code !== own)).toEqual(
    expect.arrayContaining(examples.filter(([code]) => code !== own)),
  );
});

test('codes are unique and ordered by status and code', () => {
  const specs = catalogue;
  expect(new Set(specs.map(({ code }) => code)).size).toBe(specs.length);
  const rows = specs.map(({ status, code }) => `${status} ${code}`);
  expect(rows).toEqual([...rows].sort());
});

test('what HTTP asks for goes with the status', () => {
  const headersOf = (status: number) =>
    classes
      .filter(({ spec }) => spec.status === status)
      .map((ErrorClass) =>
        Object.keys(
          new (ErrorClass as unknown as new (value: string) => ServiceError)('1').headers,
        ),
      );
  for (const names of headersOf(401)) expect(names).toContain('WWW-Authenticate');
  for (const names of headersOf(405)) expect(names).toContain('Allow');
  for (const names of [...headersOf(429), ...headersOf(503)]) {
    expect(names).toContain('Retry-After');
  }
});

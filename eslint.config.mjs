import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import { keptPromises } from './scripts/lint/kept-promises.mjs';
import { noPackedSpread } from './scripts/lint/no-packed-spread.mjs';
import { noRealTime } from './scripts/lint/no-real-time.mjs';
import { plainComments } from './scripts/lint/plain-comments.mjs';
import { waitedReads } from './scripts/lint/waited-reads.mjs';

const local = {
  rules: {
    'kept-promises': keptPromises,
    'no-packed-spread': noPackedSpread,
    'no-real-time': noRealTime,
    'plain-comments': plainComments,
    'waited-reads': waitedReads,
  },
};

/** Helpers that wait for a condition, each with a bound that only a failing test reaches; and a stand-in with a clock of its own. */
const waitForConditions = [
  'test/support/time/until.ts',
  'test/support/time/real-time.ts',
  'test/support/events/event-stream.ts',
  'test/support/events/fake-events.ts',
  'test/support/process/processes.ts',
  'test/support/process/warm-processes.mjs',
  'test/support/promised.ts',
];

const OWN_LIMIT =
  'the configuration of Jest has the time limit: a busy machine exceeds a shorter one';
const ownLimit = {
  selector:
    'CallExpression[callee.name=/^(test|(before|after)(All|Each))$/] > Literal.arguments[raw=/^[0-9_]+$/]',
  message: OWN_LIMIT,
};
/** A moment that a call may reach too late is refused as past, or what it ends has ended before the test looks. */
const soonPast = {
  selector:
    "NewExpression[callee.name='Date'] > BinaryExpression[operator='+'][left.callee.property.name='now'] > Literal.right[value<5000]",
  message: 'a busy machine may take seconds for a call: give a later moment, and use passTime',
};
const heldRequest = {
  selector: "CallExpression[callee.property.name='route'] NewExpression[callee.name='Promise']",
  message: 'use page.hold: the page may not have made the request yet when the test lets it go on',
};
/** The effect of a call is seen by others before its response arrives: the test may read the variable too early. */
const keptResponse = {
  selector: 'ArrowFunctionExpression > AssignmentExpression.body > AwaitExpression',
  message: 'resolve a promise by the value, and await it where it is read',
};

/** Programs of whole processes: how long one goes on is no assertion, and times count in the release check alone. */
const processesInRealTime = ['test/system/**'];

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'lib/',
      'api/docs/',
      'node_modules/',
      'data/',
      'coverage/',
      'clients/typescript/schema.d.ts',
      'clients/typescript/dist/',
      'clients/conformance/dist/',
      'clients/cube/dist/',
      'clients/embed/dist/',
    ],
  },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // Modules are classes with decorators and nothing inside.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Indexing a place that is known to exist; noUncheckedIndexedAccess asks for it.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // DTO classes describe plain JSON objects.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      // An empty environment variable counts as unset.
      '@typescript-eslint/prefer-nullish-coalescing': [
        'error',
        { ignorePrimitives: { string: true } },
      ],
      // A callback that is one call needs no braces, whatever the call returns.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      eqeqeq: 'error',
      curly: ['error', 'multi-line'],
      'no-console': 'error',
    },
  },
  {
    plugins: { local },
    rules: { 'local/no-packed-spread': 'error' },
  },
  {
    // It is compiled by itself, on the package.
    files: ['examples/extension-module/**'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    // In a feature, a data source is what a mapping names.
    files: ['src/**'],
    ignores: ['src/platform/database/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'typeorm',
              importNames: ['DataSource'],
              message: 'only src/platform/database may',
            },
          ],
        },
      ],
    },
  },
  {
    // Processes whose clocks differ must agree: `currentTime` has the database's clock. A duration is measured by
    // `performance.now()`, which nobody sets.
    files: ['src/**'],
    ignores: [
      'src/platform/common/time.ts',
      'src/core/change-log/postgres/*-poller.ts',
      'src/platform/database/migrations/**',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'Date',
          property: 'now',
          message: 'use currentTime, or performance.now for a duration',
        },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'use currentTime',
        },
        {
          selector:
            "CallExpression[callee.property.name='next'][callee.object.callee.property.name=/^(keys|values|entries)$/]",
          message:
            'a map passes over all that it has removed to find its first entry: keep a ring of the keys',
        },
      ],
    },
  },
  {
    files: [
      'src/**',
      'clients/cube/*.ts',
      'clients/embed/*.ts',
      'clients/typescript/**',
      'console/src/**',
      'test/lint/**',
    ],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { local },
    rules: { 'local/kept-promises': 'error' },
  },
  {
    files: ['test/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'jest',
          property: 'retryTimes',
          message: 'find the race: a test that fails now and then is a defect',
        },
        { object: 'jest', property: 'setTimeout', message: OWN_LIMIT },
      ],
      'no-restricted-syntax': ['error', ownLimit, soonPast, keptResponse],
    },
  },
  {
    files: ['test/browser/**', 'test/lint/**'],
    plugins: { local },
    rules: {
      'local/waited-reads': 'error',
      'no-restricted-syntax': ['error', ownLimit, soonPast, keptResponse, heldRequest],
    },
  },
  {
    files: ['test/**'],
    ignores: [...waitForConditions, ...processesInRealTime],
    plugins: { local },
    rules: { 'local/no-real-time': 'error' },
  },
  {
    files: ['src/**', 'clients/**', 'console/src/**', 'scripts/**', 'test/**', 'examples/**'],
    // The OpenAPI document gives its words.
    ignores: ['clients/typescript/client.ts'],
    plugins: { local },
    rules: { 'local/plain-comments': 'error' },
  },
  {
    // The entry points of a command line speak to the terminal.
    files: [
      'src/cli.ts',
      'src/server/cli/**',
      'src/platform/command-line/**',
      'src/**/*.command.ts',
      'src/platform/common/problem/exit-with.ts',
      'bench/**',
      'scripts/**',
      'test/system/**',
      'examples/**',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**'],
    rules: {
      // supertest bodies are untyped; what they hold is what the tests assert.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    // Examples read as their readers would write them: with the globals of the platform.
    files: ['examples/**'],
    rules: { curly: 'off' },
    languageOptions: {
      globals: Object.fromEntries(
        [
          'console',
          'process',
          'fetch',
          'AbortSignal',
          'Buffer',
          'URL',
          'URLSearchParams',
          'setTimeout',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['examples/*/page/**'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'document',
          'location',
          'history',
          'FormData',
          'Option',
          'window',
          'parent',
          'addEventListener',
          'removeEventListener',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  { files: ['**/*.mjs', '**/*.cjs', 'examples/**'], ...tseslint.configs.disableTypeChecked },
);

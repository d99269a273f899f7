import { sources } from '../support/source-code.ts';

/**
 * Who, beside its owner, reads a table: folders that lie above the owner. What migrates or moves the
 * whole database is exempt.
 */
const readers: Record<string, string[]> = {
  api_token: ['console', 'webhook'],
  audit_event: ['webhook'],
  change_event: ['webhook'],
  data_source_mapping: ['registry'],
  encryption_key: ['user-group', 'webhook'],
  user_group: ['registry', 'webhook'],
  user_group_token: ['webhook'],
  webhook_endpoint: ['user-group'],
  workspace: ['console', 'registry', 'user-group'],
};

/** The count of user groups is a column of their workspace. */
const writers: Record<string, string[]> = { workspace: ['user-group'] };

const EXEMPT = /^src\/database\/(migrations|move|schema)\//;

const files = sources
  .filter(({ path }) => !EXEMPT.test(path))
  .map(({ path, file }) => ({ folder: path.split('/')[1]!, text: file.text }));

/** Each table with the folder of its entity. */
const owners = new Map(
  files.flatMap(({ folder, text }) =>
    [...text.matchAll(/@Entity\('(\w+)'\)/g)].map(([, table]) => [table!, folder]),
  ),
);

/** The folders, other than its owner, whose SQL names a table behind one of these words. */
function strangersBehind(words: RegExp): Record<string, string[]> {
  const found: Record<string, Set<string>> = {};
  for (const { folder, text } of files) {
    for (const [, table] of text.matchAll(words)) {
      const owner = owners.get(table!);
      if (owner !== undefined && owner !== folder) (found[table!] ??= new Set()).add(folder);
    }
  }
  return Object.fromEntries(
    Object.entries(found).map(([table, folders]) => [table, [...folders].sort()]),
  );
}

test('every table has an owner', () => {
  expect([...owners.keys()].sort()).toEqual([
    'activity',
    'api_token',
    'audit_event',
    'change_event',
    'console_session',
    'data_source_mapping',
    'encryption_key',
    'event_consumer',
    'idempotency_key',
    'notice',
    'registered_data_source',
    'registered_schema',
    'user_group',
    'user_group_token',
    'webhook_attempt',
    'webhook_backlog',
    'webhook_delivery',
    'webhook_endpoint',
    'webhook_progress',
    'webhook_replay',
    'workspace',
  ]);
});

test('a table is written by its owner and by those who are listed', () => {
  expect(strangersBehind(/\b(?:UPDATE|INSERT INTO|DELETE FROM)\s+(\w+)/g)).toEqual(writers);
});

test('a table is read by its owner and by those who are listed', () => {
  expect(strangersBehind(/(?<!\bDELETE )\b(?:FROM|JOIN)\s+(\w+)/g)).toEqual(readers);
});

import { getMetadataArgsStorage } from 'typeorm';
import { wings } from '../../.dependency-cruiser.mjs';
import { entities, features } from '../../src/server/app/features.ts';
import { sources } from '../support/code/source-code.ts';

const floors: Record<string, string[]>[] = Object.values(wings);

/** Folders that migrate or move the whole database. */
const EXEMPT = /^src\/platform\/database\/(migrations|move|schema)\//;

const files = sources
  .filter(({ path }) => !EXEMPT.test(path))
  .map(({ path, file }) => ({ path, folder: path.split('/')[2] ?? '', text: file.text }));

/** Each table with the folder of its entity. */
const owners = new Map(
  files.flatMap(({ folder, text }) =>
    [...text.matchAll(/@Entity\('(\w+)'\)/g)].map(([, table]) => [table!, folder]),
  ),
);

/** The folders that lie below one, by the table of imports. */
function below(folder: string, found = new Set<string>()): Set<string> {
  const floor = floors.findIndex((folders) => folder in folders);
  for (const one of [
    ...floors.slice(0, floor).flatMap(Object.keys),
    ...(floors[floor]?.[folder] ?? []),
  ]) {
    if (!found.has(one)) below(one, found.add(one));
  }
  return found;
}

/** Each use of a table behind one of these words from a folder that does not lie above that of its entity. */
function usesFromBelow(words: RegExp): string[] {
  return files.flatMap(({ path, folder, text }) =>
    [...text.matchAll(words)].flatMap(([, table]) => {
      const owner = owners.get(table!);
      const isAbove = owner === undefined || owner === folder || below(folder).has(owner);
      return isAbove ? [] : [`${path}: ${table!}`];
    }),
  );
}

test('every table has an owner', () => {
  expect([...owners.keys()].sort()).toEqual([
    'activity',
    'api_token',
    'audit_event',
    'bulk_job',
    'bulk_job_line',
    'bulk_job_result',
    'change_event',
    'change_removal',
    'console_session',
    'data_source_mapping',
    'encryption_key',
    'event_consumer',
    'former_token',
    'idempotency_key',
    'registered_data_source',
    'registered_schema',
    'reminder',
    'reserved_id',
    'revoked_embed_token',
    'sweep_time',
    'target',
    'usage_batch',
    'usage_count',
    'usage_limit',
    'usage_notice',
    'usage_user',
    'user_group',
    'user_group_plan',
    'user_group_plan_change',
    'user_group_token',
    'user_group_version',
    'webhook_attempt',
    'webhook_backlog',
    'webhook_delivery',
    'webhook_endpoint',
    'webhook_progress',
    'webhook_replay',
    'workspace',
    'workspace_history',
  ]);
});

test('every entity is declared by a feature, and by one', () => {
  const { tables } = getMetadataArgsStorage();
  const declared = entities.map((entity) => tables.find(({ target }) => target === entity)?.name);
  expect(declared.sort()).toEqual([...owners.keys()].sort());
});

test('every table has its rights, in the declaration of its entity', () => {
  const { tables } = getMetadataArgsStorage();
  const tablesOf = (own: readonly unknown[] = []) =>
    tables.filter(({ target }) => own.includes(target)).map(({ name }) => name!);
  for (const { name, entities: own, rights = {} } of features) {
    // No entity has the record of the migrations.
    const granted = Object.keys(rights).filter((table) => table !== 'migration');
    expect([name, granted.sort()]).toEqual([name, tablesOf(own).sort()]);
  }
});

test('a table is used by its owner and by those who may import its owner', () => {
  expect(usesFromBelow(/\b(?:UPDATE|FROM|INTO|JOIN)\s+(\w+)/g)).toEqual([]);
});

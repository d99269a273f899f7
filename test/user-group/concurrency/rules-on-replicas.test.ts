import { operator } from '../../../src/platform/common/access/caller.ts';
import { WorkspaceSettingsService } from '../../../src/features/registry/settings/workspace-settings.service.ts';
import type { Answer } from '../../support/api/api-client.ts';
import {
  changeDatabase,
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import { type RunningServer, startServer } from '../../support/process/processes.ts';
import { inRealTime } from '../../support/time/real-time.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';
import { lastAskedBefore, until } from '../../support/time/until.ts';

const WRITERS = 64;
const ROUNDS = 25;
/** Number of writes that end between two changes of the rules. */
const WRITES_PER_CHANGE = 3;
const IDS_PER_WRITER = 5;
/** A disk that stands still keeps some calls waiting for too long, on a busy machine. */
const MOST_UNAVAILABLE = 0.05;
/** Leaves the processor to the changes. */
const PAUSE_MS = 150;

/** Contents of groups; the name of a group begins with that of its content. */
const contents = {
  a: { properties: { a: 1 }, mapping: {} },
  b: { properties: { b: 1 }, mapping: {} },
  mapped: { properties: {}, mapping: { s: 'known' } },
  /** Breaks the policy `registered`. */
  unknown: { properties: { a: 1, b: 1 }, mapping: { s: 'unknown' } },
  /** Breaks no rule but the quota. */
  all: { properties: { a: 1, b: 1 }, mapping: { s: 'known' } },
} as const satisfies Record<string, { properties: object; mapping: { s?: string } }>;

type ContentName = keyof typeof contents;

interface Rules {
  variables: { name: string }[];
  required_schemas: string[];
  mapping_policy: 'open' | 'registered';
  user_group_quota: number | null;
}

const NO_RULES: Rules = {
  variables: [],
  required_schemas: [],
  mapping_policy: 'open',
  user_group_quota: null,
};

const required = (...names: string[]) => ({
  variables: names.map((name) => ({ name, type: 'number', required: true })),
});

const workspaceId = 1;

// Three processes share a SQLite file, which a slow disk makes slower.
onEachDatabase((kind) => {
  let database: TestDatabase;
  let service: TestService;
  let servers: RunningServer[];

  beforeEach(async () => {
    database = await createTestDatabase(kind);
    service = await startTestService(database);
    servers = await Promise.all([startServer(database.env), startServer(database.env)]);
    await service.api.call('POST', '/api/v1/schemas', { provided_id: 's', name: 'S' });
    await service.api.call('POST', '/api/v1/data-sources', { provided_id: 'known', name: 'K' });
  });

  afterEach(async () => {
    for (const server of servers) expect(await server.stop()).toBe(0);
    await service.close();
    await database.drop();
  });

  const set = (settings: object) => service.api.call('PATCH', '/api/v1/workspace', settings);
  const setQuota = (quota: number | null) =>
    service.app.get(WorkspaceSettingsService).setUserGroupQuota(operator(workspaceId), quota);
  const put = (server: RunningServer, user_group_id: string, content: ContentName, number = 0) =>
    server.api.put({ user_group_id, name: `${content} ${number}`, ...contents[content] });
  const countGroups = async () => (await service.query('SELECT id FROM user_group')).length;

  test(`beside ${ROUNDS * 8} changes of the rules no write of two processes is accepted by rules that it breaks`, async () => {
    const answers = new Map<string, number>();
    const wrong: string[] = [];
    let isOver = false;
    let ended = 0;
    const note = (content: string, { status, text }: Answer) => {
      ended++;
      const key = `${content} ${status}`;
      answers.set(key, (answers.get(key) ?? 0) + 1);
      const isRefusedFalsely = content === 'all' && status === 422;
      if (status >= 500 && status !== 503) wrong.push(`${key} ${text}`);
      if (isRefusedFalsely) wrong.push(`${key} ${text}`);
    };
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      const server = servers[writer % servers.length]!;
      const names: ContentName[] =
        // Few, and rarely: while such a group is there the policy cannot become `registered`.
        writer < 2 ? ['unknown', 'all', 'a', 'mapped', 'b', 'all'] : ['a', 'all', 'mapped', 'b'];
      for (let count = 0; !isOver; count++) {
        const content = names[count % names.length]!;
        const id = `group ${writer} ${count % (writer < 2 ? 1 : IDS_PER_WRITER)}`;
        await inRealTime(PAUSE_MS, 'writers leave turns to those who change the rules');
        note(content, await put(server, id, content, count));
      }
    });
    const deleters = servers.map(async ({ api }, process) => {
      for (let count = process; !isOver; count += 2) {
        const id = `group ${count % WRITERS} ${(count >> 3) % IDS_PER_WRITER}`;
        note('delete', await api.call('DELETE', `/api/v1/user-groups/${encodeURIComponent(id)}`));
      }
    });
    const switches: number[] = [];
    const changes: (() => Promise<unknown>)[] = [
      () => set(required('a')),
      () => set(required('b')),
      () => set({ ...required(), required_schemas: ['s'] }),
      () => set({ required_schemas: [] }),
      async () => setQuota((await countGroups()) + 2),
      () => setQuota(null),
      async () => switches.push((await set({ mapping_policy: 'registered' })).status),
      () => set({ mapping_policy: 'open' }),
    ];
    try {
      for (let round = 0; round < ROUNDS; round++) {
        for (const change of changes) {
          const before = ended;
          await change();
          await until(() => ended >= before + WRITES_PER_CHANGE);
        }
      }
    } finally {
      isOver = true;
      await Promise.all([...writers, ...deleters]);
    }
    expect(wrong).toEqual([]);
    const unavailable = [...answers]
      .filter(([key]) => key.endsWith(' 503'))
      .reduce((sum, [, times]) => sum + times, 0);
    expect(unavailable / ended).toBeLessThan(MOST_UNAVAILABLE);
    expect(switches.filter((status) => status === 200).length).toBeGreaterThan(0);
    for (const key of ['a 200', 'a 422', 'b 200', 'b 422', 'mapped 200', 'mapped 422', 'all 200']) {
      expect([key, answers.get(key)]).toEqual([key, expect.any(Number)]);
    }
    expect(brokenRules(await readEvents(service))).toEqual([]);
    const stored = await service.query<{ name: string; properties: string; source: string | null }>(
      `SELECT g.name, g.properties, m.data_source AS source
       FROM user_group g LEFT JOIN data_source_mapping m ON m.user_group_id = g.id`,
    );
    for (const { name, properties, source } of stored) {
      const { mapping, ...content } = contents[contentOf(name)];
      expect([name, JSON.parse(properties), source]).toEqual([
        name,
        content.properties,
        Object.values(mapping)[0] ?? null,
      ]);
    }
  });

  test('rules that one process has changed hold for the very next write of another', async () => {
    const [, other] = servers as [RunningServer, RunningServer];
    let count = 0;
    const statusOf = async (content: ContentName) =>
      (await put(other, `next ${++count}`, content)).status;
    for (let round = 0; round < 10; round++) {
      await set(required('a'));
      expect([await statusOf('b'), await statusOf('a')]).toEqual([422, 200]);
      await set(required('b'));
      expect([await statusOf('b'), await statusOf('a')]).toEqual([200, 422]);
      await set({ ...required(), mapping_policy: 'registered' });
      expect([await statusOf('a'), await statusOf('unknown')]).toEqual([200, 422]);
      await setQuota(count);
      expect(await statusOf('a')).toBe(200);
      await setQuota(1);
      expect(await statusOf('a')).toBe(409);
      await setQuota(null);
      expect(await statusOf('a')).toBe(200);
      await set({ mapping_policy: 'open' });
      expect(await statusOf('unknown')).toBe(200);
      await other.api.call('DELETE', `/api/v1/user-groups/next%20${count}`);
    }
  });

  test('a data source that one process has deleted or registered is so for the very next write of another', async () => {
    const [, other] = servers as [RunningServer, RunningServer];
    await set({ mapping_policy: 'registered' });
    for (let round = 0; round < 10; round++) {
      const id = `next ${round}`;
      expect((await put(other, id, 'unknown')).status).toBe(422);
      const source = { provided_id: 'unknown', name: 'U' };
      const { body } = await service.api.call('POST', '/api/v1/data-sources', source);
      expect((await put(other, id, 'unknown')).status).toBe(200);
      await other.api.call('DELETE', `/api/v1/user-groups/${encodeURIComponent(id)}`);
      const { id: number } = (body as unknown as { data_source: { id: number } }).data_source;
      expect((await service.api.call('DELETE', `/api/v1/data-sources/${number}`)).status).toBe(200);
    }
  });

  test('rules that an operator has changed by SQL hold within a second', async () => {
    const [, other] = servers as [RunningServer, RunningServer];
    let count = 0;
    const statusOf = async (content: ContentName) =>
      (await put(other, `by SQL ${++count}`, content)).status;
    const requireBySql = (name: string) => {
      const properties = JSON.stringify(required(name).variables);
      return changeDatabase(database, `UPDATE workspace SET variables = '${properties}'`);
    };
    await set(required('b'));
    for (const [old, next] of [
      ['b', 'a'],
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      expect([await statusOf(old), await statusOf(next)]).toEqual([200, 422]);
      await requireBySql(next);
      const requiredAt = performance.now();
      const lastAskedAt = await lastAskedBefore(
        async () => (await statusOf(next)) === 200 && (await statusOf(old)) === 422,
      );
      expect(lastAskedAt - requiredAt).toBeLessThan(1000);
    }
  });
});

interface StoredEvent {
  kind: string;
  position: string;
  object: string;
  after: Partial<Rules> & { name?: string };
}

/**
 * Returns the events of groups and rules in the order in which they took effect. A change of the rules and a write exclude
 * each other, and each gets the number of its transaction once it has its lock.
 */
async function readEvents(service: TestService): Promise<StoredEvent[]> {
  const rows = await service.query<Omit<StoredEvent, 'after'> & { after: string | null }>(
    `SELECT c.kind, c.transaction_id || '.' || c.id AS position, c.object_id AS object, a."after"
     FROM change_event c JOIN audit_event a ON a.public_id = c.public_id AND a.action = c.kind
     WHERE c.workspace_id = ${workspaceId} ORDER BY c.transaction_id, c.id`,
  );
  return rows.map((row) => ({
    ...row,
    after: JSON.parse(row.after ?? '{}') as StoredEvent['after'],
  }));
}

function contentOf(name: string): ContentName {
  return name.split(' ')[0] as ContentName;
}

/**
 * Returns a line for each write that was accepted although it broke the rules of its moment. Creations and deletions take
 * turns at a lock that a transaction may get after its number, so the quota is compared when the rules change and at the end.
 */
function brokenRules(events: readonly StoredEvent[]): string[] {
  let rules = NO_RULES;
  let count = 0;
  let before = 0;
  const beyondQuota = (position: string) => {
    const most = Math.max(rules.user_group_quota ?? Infinity, before);
    return count > most
      ? [`${position}: ${count} groups, beyond the quota of ${rules.user_group_quota}`]
      : [];
  };
  const broken = events.flatMap(({ kind, position, object, after }) => {
    if (kind === 'workspace.update') {
      const beyond = beyondQuota(position);
      rules = { ...rules, ...after };
      before = count;
      return beyond;
    }
    if (kind === 'user_group.delete') count--;
    if (kind === 'user_group.create') count++;
    if (kind !== 'user_group.create' && kind !== 'user_group.update') return [];
    const { properties, mapping } = contents[contentOf(after.name!)];
    return [
      ...rules.variables
        .filter(({ name }) => !(name in properties))
        .map(({ name }) => `without ${name}`),
      ...rules.required_schemas
        .filter((schema) => !(schema in mapping))
        .map((schema) => `without ${schema}`),
      ...(rules.mapping_policy === 'registered' &&
      Object.values<string>(mapping).includes('unknown')
        ? ['unknown']
        : []),
    ].map((what) => `${position} ${kind} ${object} ${after.name}: ${what}`);
  });
  return [...broken, ...beyondQuota('at the end')];
}

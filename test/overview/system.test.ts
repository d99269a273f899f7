import { isDeepStrictEqual } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { keyList } from '../system/lab/keys.mjs';
import { integer } from '../../src/platform/config/readers.ts';
import { FromEnv } from '../../src/platform/config/variable.ts';
import { definePlugin } from '../../src/platform/common/extension/plugin.ts';
import { migrations } from '../../src/server/library/migrations.ts';
import type { SystemResponse } from '../../src/features/system/dto/system-response.dto.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { recordRoundTrips } from '../support/database/database-traffic.ts';
import {
  changeDatabase,
  createTestDatabase,
  onEachDatabase,
} from '../support/database/databases.ts';
import { withKeys } from '../support/keys.ts';
import { planOf, wasteIn } from '../support/database/query-plan.ts';
import { TestWorkspace } from '../support/registry.ts';
import { startTestService, type TestService, withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const PATH = '/api/v1/system';
const HOUR_MS = 3_600_000;
const KEYS = { TOKEN_ENCRYPTION_KEYS: keyList('k2', 'k1') };

const WIRE_TIME: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

/** The state of a process that hears of changes, while all is well. */
const HEARING = {
  sqlite: { lease_up: true, channel_up: null },
  postgres: { lease_up: true, channel_up: true },
};

type System = SystemResponse['system'];

const read = async (api: ApiClient): Promise<System> => {
  const { status, body } = await api.call('GET', PATH);
  expect(status).toBe(200);
  return (body as unknown as SystemResponse).system;
};

onEachDatabase((kind) => {
  describe('a service', () => {
    const roundTrips = recordRoundTrips();
    const service = withService(kind, {
      ...KEYS,
      AUDIT_RETENTION_DAYS: '400',
      EVENT_RETENTION_HOURS: '48',
      WEBHOOK_RETENTION_DAYS: '9',
      HISTORY_RETENTION_DAYS: '800',
      RATE_LIMIT_PER_MINUTE: '900',
      INTROSPECTION_RATE_LIMIT_PER_MINUTE: '70',
      BODY_LIMIT: '1MiB',
    });

    const untilSystem = async (holds: (system: System) => boolean) => {
      let system: System;
      await until(async () => holds((system = await read(service.api))));
      return system!;
    };
    const untilFeedIs = (wanted: object) =>
      untilSystem(({ change_feed: feed }) => isDeepStrictEqual(feed, wanted));

    test('tells what it is, what it runs on and how it is set', async () => {
      // The service reads the replicas before the state of the feed: its own first poll may be under way then.
      const system = await untilSystem(
        ({ change_feed: feed, replicas }) =>
          isDeepStrictEqual(feed, HEARING[kind]) && replicas?.length !== 0,
      );
      const [{ version }] = (await service.query<{ version: string }>(
        kind === 'sqlite'
          ? 'SELECT sqlite_version() AS version'
          : `SELECT current_setting('server_version_num')::int / 10000 AS version`,
      )) as [{ version: string }];
      expect(system).toEqual({
        version: packageJson.version,
        node: process.version,
        started_at: WIRE_TIME,
        database: { kind, version: expect.stringMatching(`^${version}(\\.\\d+)*$`) },
        migrations: { applied: migrations.length, pending: 0, latest: migrations.at(-1)!.name },
        change_feed: HEARING[kind],
        replicas: kind === 'sqlite' ? null : [{ connected_at: WIRE_TIME, polled_at: WIRE_TIME }],
        encryption_keys: [
          { id: 'k2', encrypts: true },
          { id: 'k1', encrypts: false },
        ],
        rewrap_remaining: false,
        event_consumers: [],
        retention: {
          audit_days: 400,
          refusal_days: 90,
          shown_token_days: 30,
          history_days: 800,
          event_hours: 48,
          webhook_days: 9,
          usage_days: 400,
        },
        limits: {
          calls_per_minute: 900,
          workspace_calls_per_minute: 4500,
          introspections_per_minute: 70,
          failed_authentications_per_minute: 0,
          body_bytes: 1024 ** 2,
        },
        plugins: [],
      });
      expect(Date.parse(system.started_at)).toBeLessThanOrEqual(Date.now());
      expect((await read(service.api)).started_at).toBe(system.started_at);
    });

    test('tells no key, and not where the database is', async () => {
      const { text } = await service.api.send({ method: 'GET', path: PATH });
      const { env } = service.database;
      const url = env['DATABASE_URL'] === undefined ? undefined : new URL(env['DATABASE_URL']);
      const hidden = [
        ...keyList('k2', 'k1')
          .split(',')
          .map((key) => key.slice(3)),
        service.bootstrapToken,
        env['DATA_DIR'],
        url?.hostname,
        url?.pathname.slice(1),
      ].filter((one) => one !== undefined);
      expect(hidden.length).toBeGreaterThan(3);
      for (const secret of hidden) expect(text).not.toContain(secret);
    });

    test('tells whether what it says comes from memory', async () => {
      await untilFeedIs(HEARING[kind]);
      if (kind === 'sqlite') return;
      await changeDatabase(service.database, 'ALTER TABLE change_event RENAME TO hidden');
      await untilFeedIs({ lease_up: false, channel_up: true });
      await changeDatabase(service.database, 'ALTER TABLE hidden RENAME TO change_event');
      await untilFeedIs(HEARING[kind]);
    });

    if (kind === 'postgres') {
      test('tells of each replica since when it hears of changes, and when it last asked', async () => {
        // A replica connects again after a poll that takes too long.
        const own = { connected_at: WIRE_TIME, polled_at: WIRE_TIME };
        const untilThereAre = (count: number, polledAfter = '') =>
          untilSystem(
            ({ replicas }) =>
              replicas!.length === count &&
              replicas!.every(({ polled_at: at }) => at > polledAfter),
          );
        const url = new URL(service.database.env['DATABASE_URL']!);
        url.searchParams.set('application_name', 'an own one');
        const other = await startTestService(service.database, { ...KEYS, DATABASE_URL: url.href });
        await other.clientOf(service.bootstrapToken).create({ name: 'heard of by both' });
        const { replicas } = await untilThereAre(2);
        expect(replicas).toEqual([own, own]);
        const polls = replicas!.map(({ polled_at: at }) => at).toSorted();
        await untilThereAre(2, polls.at(-1));
        await other.close();
        expect((await untilThereAre(1)).replicas).toEqual([own]);
      });
    }

    test('tells which durable consumers a process handles events for', async () => {
      const now = Date.now();
      await changeDatabase(
        service.database,
        `INSERT INTO event_consumer (name, position, lease_owner, lease_until, created_at, updated_at)
         SELECT name, position, owner, until, 1, 1 FROM (
           SELECT 'running' AS name, position, 'a' AS owner, ${now + HOUR_MS} AS until FROM (${startOf()}) AS p
           UNION ALL SELECT 'killed', position, 'b', ${now - 1} FROM (${startOf()}) AS p
           UNION ALL SELECT 'ended', position, NULL, NULL FROM (${startOf()}) AS p) AS c`,
      );
      const { event_consumers: consumers } = await read(service.api);
      expect(consumers).toEqual([
        { name: 'ended', running: false, lease_until: null },
        { name: 'killed', running: false, lease_until: new Date(now - 1).toISOString() },
        { name: 'running', running: true, lease_until: new Date(now + HOUR_MS).toISOString() },
      ]);
      await changeDatabase(
        service.database,
        `INSERT INTO event_consumer (name, position, created_at, updated_at)
         SELECT 'z' || c.name || d.name || e.name || f.name || g.name, c.position, 1, 1
         FROM event_consumer c, event_consumer d, event_consumer e, event_consumer f, event_consumer g`,
      );
      expect((await read(service.api)).event_consumers).toHaveLength(100);
      await changeDatabase(service.database, 'DELETE FROM event_consumer');
    });

    test('tells what the database lacks, and what a newer version has done to it', async () => {
      const { name } = migrations.at(-1)!;
      const rename = (from: string, to: string) =>
        changeDatabase(
          service.database,
          `UPDATE migration SET name = '${to}' WHERE name = '${from}'`,
        );
      await rename(name, 'OfANewerVersion1999000000000');
      expect((await read(service.api)).migrations).toEqual({
        applied: migrations.length,
        pending: 1,
        latest: 'OfANewerVersion1999000000000',
      });
      await rename('OfANewerVersion1999000000000', name);
    });

    test('looks at so many tokens of a key and no more, by the index', async () => {
      const { api } = await TestWorkspace.create(service, 'many');
      const other = await TestWorkspace.create(service, 'beside many');
      const [{ id }] = (await service.query<{ id: number }>(
        "SELECT id FROM workspace WHERE name = 'many'",
      )) as [{ id: number }];
      // The key k1 has encrypted before.
      await changeDatabase(
        service.database,
        `INSERT INTO encryption_key (id, check_value, created_at) SELECT 'k1', check_value, 1 FROM encryption_key`,
      );
      const numbers = {
        sqlite: `WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 20000)`,
        postgres: `WITH n AS (SELECT generate_series(1, 20000) AS value)`,
      }[kind];
      await changeDatabase(
        service.database,
        `${numbers} INSERT INTO user_group (workspace_id, provided_id, name, properties, created_at, updated_at)
         SELECT ${id}, 'group ' || value, 'n', '{}', 1, 1 FROM n`,
      );
      const hash =
        kind === 'sqlite' ? `unhex(printf('%08x', id))` : `decode(lpad(to_hex(id), 8, '0'), 'hex')`;
      await changeDatabase(
        service.database,
        `INSERT INTO user_group_token (user_group_id, workspace_id, generation, last_four, token_hash, ciphertext, key_id, created_at)
         SELECT id, workspace_id, 1, 'four', ${hash}, ${hash}, CASE WHEN provided_id = 'group 7' THEN 'k1' ELSE 'k2' END, 1
         FROM user_group WHERE workspace_id = ${id}`,
      );
      await changeDatabase(service.database, kind === 'sqlite' ? 'ANALYZE' : 'VACUUM ANALYZE');
      expect((await read(api)).rewrap_remaining).toBe(true);
      expect((await read(other.api)).rewrap_remaining).toBe(false);
      roundTrips.length = 0;
      await read(api);
      const statements = roundTrips.flat().filter((sql) => sql.includes('LIMIT 1000'));
      expect(statements).toHaveLength(1);
      const plan = await planOf(service, statements[0]!);
      expect([plan, wasteIn(plan)]).toEqual([plan, []]);
      expect(plan.join('\n')).toContain('user_group_token_key_id_idx');
      await changeDatabase(service.database, `UPDATE user_group_token SET key_id = 'k1'`);
      expect((await read(api)).rewrap_remaining).toBe(true);
      expect((await read(other.api)).rewrap_remaining).toBeNull();
      await changeDatabase(
        service.database,
        `UPDATE encryption_key SET forgotten_at = 1 WHERE id = 'k1'`,
      );
      expect((await read(api)).rewrap_remaining).toBe(false);
    });

    function startOf(): string {
      return `SELECT '{"at":1}' AS position`;
    }
  });

  test('after another key has taken over, each workspace learns whether its own tokens wait', async () => {
    const database = await createTestDatabase(kind);
    const started: TestService[] = [];
    const start = async (...ids: string[]) => {
      const service = await startTestService({ ...database, env: withKeys(database, ...ids) });
      started.push(service);
      return service;
    };
    try {
      const before = await start('k1');
      const names = ['groups', 'webhooks', 'nothing'];
      const tokens = new Map<string, string>();
      for (const name of names) {
        tokens.set(
          name,
          await before.issueToken(['admin', 'user-groups:write', 'webhooks:write'], name),
        );
      }
      const clientIn = (service: TestService, name: string) => service.clientOf(tokens.get(name));
      await clientIn(before, 'groups').call('PUT', '/api/v1/user-groups/old', { name: 'Old' });
      const made = await clientIn(before, 'webhooks').call('POST', '/api/v1/webhook-endpoints', {
        url: 'https://receiver.example/',
      });
      expect(made.status).toBe(201);
      expect((await read(clientIn(before, 'groups'))).rewrap_remaining).toBe(false);
      await before.close();
      const after = await start('k2', 'k1');
      await clientIn(after, 'nothing').call('PUT', '/api/v1/user-groups/new', { name: 'New' });
      const remaining = async () => {
        const answers = names.map((name) => read(clientIn(after, name)));
        return (await Promise.all(answers)).map(({ rewrap_remaining: is }) => is);
      };
      expect(await remaining()).toEqual([true, true, false]);
      await changeDatabase(database, `UPDATE user_group_token SET key_id = 'k2'`);
      expect(await remaining()).toEqual([false, true, false]);
    } finally {
      for (const service of started) await service.close();
      await database.drop();
    }
  });

  test('names the plugins, and has their retention periods', async () => {
    class Settings {
      @FromEnv('SEAT_RETENTION_DAYS', {
        about: 'Days for which a seat is kept.',
        retention: ['seat_days', 'Days for which a seat is kept.'],
        read: integer(1, 10),
      })
      seatRetentionDays = 3;
    }
    const plugin = definePlugin({
      name: 'seats',
      compatibility: `^${packageJson.version}`,
      settings: Settings,
    });
    const service = await startTestService(kind, { SEAT_RETENTION_DAYS: '4' }, [plugin]);
    const { plugins, retention } = await read(service.api);
    expect([plugins, retention]).toEqual([
      ['seats'],
      expect.objectContaining({ audit_days: 365, seat_days: 4 }),
    ]);
    await service.close();
  });
});

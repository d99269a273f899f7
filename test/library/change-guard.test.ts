import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AddressInfo } from 'node:net';
import {
  ChangeRefused,
  operator,
  Tokens,
  UserGroupChangeGuard,
  type UserGroupChangeRefusal,
  type UserGroupChangeRequest,
  type UserGroupChangeTransaction,
  UserGroupServiceModule,
  type UserGroupOptions,
  UserGroups,
} from '../../src/server/library/index.ts';
import { createLog, NestLog } from '../../src/platform/common/log.ts';
import { Config } from '../../src/platform/config/config.ts';
import { WorkspaceSettingsService } from '../../src/features/registry/settings/workspace-settings.service.ts';
import { statement } from '../../src/platform/database/statement.ts';
import { Statements } from '../../src/platform/database/statements.ts';
import { ApiClient, NDJSON } from '../support/api/api-client.ts';
import {
  changeDatabase,
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { openLog } from '../support/jest/leaks.ts';
import { stopTimeLimits } from '../support/time/fake-time.ts';
import { BOOTSTRAP_TOKEN } from '../support/process/processes.ts';
import { letServicesWait } from '../support/time/patience.ts';

const LOG = Object.assign(new Config(), { logLevel: 'trace', logFormat: 'json' });

const findNotes = statement<object, { note: string }>(
  'test.plan-notes',
  () => 'SELECT note FROM plan_note ORDER BY note',
);
const countRecords = statement<object, { events: number; audits: number }>(
  'test.count-records',
  () => `SELECT (SELECT count(*) FROM change_event) AS events,
    (SELECT count(*) FROM audit_event) AS audits`,
);

/** Nearly as long as all guards together may take. */
const SLOW_MS = 1400;

/** Refuses what is called `refused`, takes its time for `slow`, fails for `broken`, and notes the rest in a table of its own. */
class PlanGuard extends UserGroupChangeGuard {
  static asked: UserGroupChangeRequest[] = [];
  static mostAtOnce = 0;

  override async beforeChange(
    changes: readonly UserGroupChangeRequest[],
    { manager, workspaceId }: UserGroupChangeTransaction,
  ): Promise<UserGroupChangeRefusal[]> {
    PlanGuard.mostAtOnce = Math.max(PlanGuard.mostAtOnce, changes.length);
    const refused: UserGroupChangeRefusal[] = [];
    if (changes.some(({ after }) => after?.name === 'slow')) {
      await jest.advanceTimersByTimeAsync(SLOW_MS);
    }
    for (const change of changes) {
      PlanGuard.asked.push(change);
      const { kind, userGroupId, before, after } = change;
      const { name } = (after ?? before)!;
      if (name === 'refused' || (before?.name === 'kept' && kind !== 'update')) {
        refused.push({ change, detail: `The plan of workspace ${workspaceId} has no ${kind}.` });
        continue;
      }
      await manager.query(`INSERT INTO plan_note (note) VALUES ('${kind} ${userGroupId}')`);
      if (name === 'broken') throw new Error('the guard’s own mistake');
      // Nothing can be changed through what it is shown.
      if (after) after.properties['added'] = 'by the guard';
    }
    return refused;
  }
}

beforeAll(letServicesWait);

onEachDatabase((kind) => {
  let database: TestDatabase;
  let app: NestExpressApplication;
  /** A second process of the installation, as far as the database can tell. */
  let other: INestApplication;
  let api: ApiClient;
  const caller = operator(1);

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    const values: UserGroupOptions = {
      databaseUrl: database.env['DATABASE_URL'],
      dataDir: database.env['DATA_DIR'],
      tokenEncryptionKeys: database.env['TOKEN_ENCRYPTION_KEYS'],
      bootstrapApiToken: BOOTSTRAP_TOKEN,
      webhookDelivery: false,
    };
    const ports = [{ provide: UserGroupChangeGuard, useClass: PlanGuard }];
    const start = async (http?: false) =>
      NestFactory.create<NestExpressApplication>(
        UserGroupServiceModule.forRoot({ ...values, ports, ...(http === false && { http }) }),
        { logger: new NestLog(await createLog(LOG, openLog())), abortOnError: false },
      );
    app = await start();
    other = await (await start(false)).init();
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    api = new ApiClient(`http://127.0.0.1:${port}`, BOOTSTRAP_TOKEN);
    await changeDatabase(database, 'CREATE TABLE plan_note (note text NOT NULL)');
  });

  // The guards take their time on a busy machine, too.
  beforeEach(stopTimeLimits);

  beforeEach(() => {
    PlanGuard.asked = [];
    PlanGuard.mostAtOnce = 0;
  });

  afterAll(async () => {
    await Promise.all([app.close(), other.close()]);
    await database.drop();
  });

  const groups = () => app.get(UserGroups);
  const call = (method: string, path: string, body?: object | string) =>
    api.send({ method, path, ...(body !== undefined && { body }) });
  const notesOf = async (id: string) =>
    (await read(app, findNotes)).map(({ note }) => note).filter((note) => note.endsWith(` ${id}`));
  const records = async () => {
    const [found] = await read(app, countRecords);
    return [found!.events, found!.audits];
  };

  test('a creation that is refused stores nothing, by whichever operation', async () => {
    const before = await records();
    const body = { user_group_id: 'c', name: 'refused' };
    for (const answer of [
      await call('PUT', '/api/user', body),
      await call('GET', '/api/user', body),
      await call('PUT', '/api/v1/user-groups/c', { name: 'refused' }),
    ]) {
      expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
        409,
        'change_refused',
        'The plan of workspace 1 has no create.',
      ]);
    }
    expect((await call('GET', '/api/v1/user-groups/c')).status).toBe(404);
    expect([await notesOf('c'), await records()]).toEqual([[], before]);
    expect(PlanGuard.asked[0]).toMatchObject({
      kind: 'create',
      userGroupId: 'c',
      teamId: null,
      before: null,
      after: { name: 'refused', mapping: {}, properties: {}, suspended: false },
      caller: { workspaceId: 1, apiTokenId: expect.any(Number) as number },
    });
  });

  test('an update that is refused leaves the group as it is', async () => {
    const first = { name: 'U', mapping: { orders: 7 }, properties: { n: 1 } };
    await groups().put(caller, { user_group_id: 'u', ...first });
    const before = await records();
    const refusals = [
      await call('PUT', '/api/user', { user_group_id: 'u', name: 'refused', mapping: {} }),
      await call('GET', '/api/user', { user_group_id: 'u', name: 'refused' }),
      await call('PUT', '/api/v1/user-groups/u', { name: 'refused' }),
      await api.send({
        method: 'PATCH',
        path: '/api/v1/user-groups/u',
        headers: { 'Content-Type': 'application/merge-patch+json' },
        body: { name: 'refused' },
      }),
    ];
    expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(
      refusals.map(() => [409, 'change_refused']),
    );
    expect(await groups().get(caller, 'u')).toMatchObject(first);
    expect([await notesOf('u'), await records()]).toEqual([['create u'], before]);
    expect(PlanGuard.asked.at(1)).toMatchObject({
      kind: 'update',
      teamId: expect.any(Number) as number,
      before: { ...first, suspended: false },
      after: { name: 'refused', mapping: {}, properties: { n: 1 } },
    });
  });

  test('suspension, resumption and deletion are asked about, rotation is not', async () => {
    const { user_group } = await groups().put(caller, { user_group_id: 'k', name: 'kept' });
    await expect(groups().suspend(caller, 'k')).rejects.toThrow(ChangeRefused);
    await expect(groups().delete(caller, 'k')).rejects.toThrow(ChangeRefused);
    expect(await groups().get(caller, 'k')).toMatchObject({ suspended_at: null });
    const rotated = await app.get(Tokens).rotate(caller, { current_token: user_group.token });
    expect(rotated.user_group.token).not.toBe(user_group.token);

    await groups().put(caller, { user_group_id: 'k', name: 'free' });
    await groups().suspend(caller, 'k');
    await groups().suspend(caller, 'k');
    await groups().resume(caller, 'k');
    await groups().delete(caller, 'k');
    expect(PlanGuard.asked.map(({ kind: what }) => what)).toEqual([
      'create',
      'suspend',
      'delete',
      'update',
      'suspend',
      'resume',
      'delete',
    ]);
    expect(PlanGuard.asked.at(-1)).toMatchObject({ before: { name: 'free' }, after: null });
    expect(await notesOf('k')).toEqual([
      'create k',
      'delete k',
      'resume k',
      'suspend k',
      'update k',
    ]);
  });

  test('a rename is asked about with both ids, and one that is refused changes nothing', async () => {
    const rename = (id: string, provided_id: string) =>
      call('POST', `/api/v1/user-groups/${id}/rename`, { provided_id });
    await groups().put(caller, { user_group_id: 'r', name: 'kept' });
    const [before, group] = [await records(), await groups().get(caller, 'r')];
    const refused = await rename('r', 's');
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      409,
      'change_refused',
      'The plan of workspace 1 has no rename.',
    ]);
    expect(await groups().get(caller, 'r')).toEqual(group);
    expect([await notesOf('r'), await records()]).toEqual([['create r'], before]);
    // The new id is free.
    expect((await call('GET', '/api/v1/user-groups/s')).body.code).toBe('user_group_not_found');
    PlanGuard.asked = [];
    expect((await rename('r', 'r')).status).toBe(200);
    expect(PlanGuard.asked).toEqual([]);

    await groups().put(caller, { user_group_id: 'r', name: 'free', properties: { n: 1 } });
    PlanGuard.asked = [];
    expect((await rename('r', 's')).status).toBe(200);
    const content = { name: 'free', mapping: {}, properties: { n: 1 } };
    expect(PlanGuard.asked).toMatchObject([
      {
        kind: 'rename',
        userGroupId: 'r',
        newUserGroupId: 's',
        teamId: group.team_id,
        before: content,
        after: content,
      },
    ]);
    expect(await notesOf('r')).toEqual(['create r', 'rename r', 'update r']);
    expect(await groups().get(caller, 's')).toMatchObject({ team_id: group.team_id });
  });

  test('of writes that share a transaction only those that are refused fail', async () => {
    const ids = Array.from({ length: 64 }, (_, index) => `w${index}`);
    const answers = await Promise.allSettled(
      ids.map((id, index) =>
        groups().put(caller, { user_group_id: id, name: index % 2 ? 'refused' : 'W' }),
      ),
    );
    expect(PlanGuard.mostAtOnce).toBeGreaterThan(1);
    for (const [index, answer] of answers.entries()) {
      expect([index, answer.status]).toEqual([index, index % 2 ? 'rejected' : 'fulfilled']);
      const found = await call('GET', `/api/v1/user-groups/${ids[index]!}`);
      expect(found.status).toBe(index % 2 ? 404 : 200);
      expect(await notesOf(ids[index]!)).toEqual(index % 2 ? [] : [`create ${ids[index]!}`]);
    }
  });

  test('what fails inside it is stored by nobody, and its neighbours are', async () => {
    const before = await records();
    const answers = await Promise.all(
      ['f1', 'f2', 'f3', 'f4'].map((id) =>
        call('PUT', '/api/user', { user_group_id: id, name: id === 'f2' ? 'broken' : 'F' }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 500, 200, 200]);
    expect(answers[1]!.body.code).toBe('internal_error');
    expect(JSON.stringify(answers[1]!.body)).not.toContain('mistake');
    expect((await call('GET', '/api/v1/user-groups/f2')).status).toBe(404);
    expect([await notesOf('f1'), await notesOf('f2')]).toEqual([['create f1'], []]);
    expect(await records()).toEqual(before.map((count) => count + 3));
  });

  test('an import whose guard takes its time creates each group once, and says so', async () => {
    const lines = Array.from({ length: 600 }, (_, at) => ({
      user_group_id: `slow ${at}`,
      name: 'slow',
    }));
    const { text } = await api.send({
      method: 'POST',
      path: '/api/v1/user-groups/import',
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
      headers: NDJSON,
    });
    const { summary } = JSON.parse(text.trim().split('\n').at(-1)!) as { summary: object };
    expect(summary).toMatchObject({
      created: lines.length,
      unchanged: 0,
      failed: 0,
      complete: true,
    });
  });

  test('an import reports the lines that are refused', async () => {
    const lines = ['i1', 'i2', 'i3'].map((id) =>
      JSON.stringify({ user_group_id: id, name: id === 'i2' ? 'refused' : 'I' }),
    );
    const { status, text } = await api.send({
      method: 'POST',
      path: '/api/v1/user-groups/import?results=all',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: lines.join('\n'),
    });
    expect(status).toBe(200);
    const answered = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(answered).toContainEqual(
      expect.objectContaining({
        provided_id: 'i2',
        success: 0,
        code: 'change_refused',
        detail: 'The plan of workspace 1 has no create.',
      }),
    );
    expect(answered.at(-1)).toMatchObject({ summary: { created: 2, failed: 1, complete: true } });
    expect((await call('GET', '/api/v1/user-groups/i3')).status).toBe(200);
  });

  test('of creations of one group at once its own table holds what was stored, once', async () => {
    const put = (by: INestApplication, id: string, name: string) =>
      by.get(UserGroups).put(caller, { user_group_id: id, name });
    const ids = Array.from({ length: 20 }, (_, index) => `r${index}`);
    await Promise.all(
      ids.flatMap((id) => [put(app, id, 'one'), put(other, id, 'two'), put(app, id, 'three')]),
    );
    for (const id of ids) {
      const notes = await notesOf(id);
      expect(notes.filter((note) => note.startsWith('create'))).toEqual([`create ${id}`]);
      const { version } = (await versionOf(app, id))!;
      expect(notes).toHaveLength(version);
    }
  });

  test('a refused creation leaves its room below the quota to a neighbour', async () => {
    const [found] = await read(app, countGroups);
    const settings = app.get(WorkspaceSettingsService, { strict: false });
    await settings.setUserGroupQuota(caller, found!.count + 1);
    const answers = await Promise.allSettled([
      groups().put(caller, { user_group_id: 'q1', name: 'refused' }),
      groups().put(caller, { user_group_id: 'q2', name: 'Q' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    await expect(groups().put(caller, { user_group_id: 'q3', name: 'Q' })).rejects.toMatchObject({
      spec: { code: 'user_group_quota_reached' },
    });
    await settings.setUserGroupQuota(caller, null);
  });

  test('what it is shown is not what is stored', async () => {
    await groups().put(caller, { user_group_id: 's', name: 'S', properties: { n: 1 } });
    expect((await groups().get(caller, 's')).properties).toEqual({ n: 1 });
  });
});

const countGroups = statement<object, { count: number }>(
  'test.count-groups',
  () => 'SELECT count(*) AS count FROM user_group',
);

const findVersion = statement<{ id: string }, { version: number }>(
  'test.find-version',
  () => 'SELECT version FROM user_group WHERE provided_id = :id',
);

async function versionOf(app: INestApplication, id: string) {
  return (await app.get(Statements, { strict: false }).read(findVersion, { id }))[0];
}

function read<Row>(
  app: INestApplication,
  query: ReturnType<typeof statement<object, Row>>,
): Promise<Row[]> {
  return app.get(Statements, { strict: false }).read(query, {});
}

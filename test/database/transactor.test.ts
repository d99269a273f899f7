import { ApiToken } from '../../src/core/api-token/api-token.entity.ts';
import { statement } from '../../src/platform/database/statement.ts';
import { Statements } from '../../src/platform/database/statements.ts';
import { Transactor } from '../../src/platform/database/transactor.ts';
import { TokenIssuer } from '../../src/core/user-group/token/token-issuer.ts';
import { UserGroup } from '../../src/core/user-group/entities/user-group.entity.ts';
import { UserGroupToken } from '../../src/core/user-group/entities/user-group-token.entity.ts';
import { Workspace } from '../../src/core/workspace/workspace.entity.ts';
import type { Answer } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { untilLocked } from '../support/database/locks.ts';
import { runCli } from '../support/process/processes.ts';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const lockCounter = statement<object, { name: string }>(
  'test.lock-counter',
  ({ lockRows }) =>
    `SELECT g.name FROM user_group g WHERE g.provided_id = 'counter' ${lockRows('g')}`,
);

const workspace = (name: string) => ({ name, publicId: name, createdAt: 1 });

onEachDatabase((kind) => {
  const service = withService(kind);
  let transactor: Transactor;
  let statements: Statements;

  beforeAll(() => {
    transactor = service.app.get(Transactor);
    statements = service.app.get(Statements);
  });

  const names = async (prefix: string) =>
    (
      await service.query<{ name: string }>(
        `SELECT name FROM workspace WHERE name LIKE '${prefix}%' ORDER BY id`,
      )
    ).map(({ name }) => name);

  test('work that throws leaves nothing behind, and its neighbours are kept', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        transactor.run(async (manager) => {
          await manager.insert(Workspace, workspace(`half ${index}`));
          if (index % 2 === 1) throw new Error('changed my mind');
          await manager.insert(Workspace, workspace(`half ${index} whole`));
        }),
      ),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(25);
    const kept = await names('half');
    expect(kept).toHaveLength(50);
    expect(kept.every((name) => Number(name.split(' ')[1]) % 2 === 0)).toBe(true);
  });

  test('a refused statement does not end the work around it', async () => {
    await transactor.run((manager) => manager.insert(Workspace, workspace('taken')));
    const results = await Promise.allSettled([
      transactor.run((manager) => manager.insert(Workspace, workspace('neighbour 1'))),
      transactor.run((manager) => manager.insert(Workspace, workspace('taken'))),
      transactor.run((manager) => manager.insert(Workspace, workspace('neighbour 2'))),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await names('neighbour')).toHaveLength(2);
  });

  test('nobody reads what is not committed', async () => {
    let seen: string[] | undefined;
    await transactor.run(async (manager) => {
      await manager.insert(Workspace, workspace('uncommitted'));
      seen = await names('uncommitted');
    });
    expect(seen).toEqual([]);
    expect(await names('uncommitted')).toEqual(['uncommitted']);
  });

  test('what 100 callers read under a lock and write back loses no step', async () => {
    await service.api.put({ user_group_id: 'counter', name: '0' });
    await Promise.all(
      Array.from({ length: 100 }, () =>
        transactor.run(async (manager) => {
          const [stored] = await statements.run(manager, lockCounter, {});
          await manager.update(
            UserGroup,
            { providedId: 'counter' },
            { name: String(Number(stored!.name) + 1) },
          );
        }),
      ),
    );
    expect(await statements.read(lockCounter, {})).toEqual([{ name: '100' }]);
  });

  test('a group that a rival creates in the middle of a creation is found, not an error', async () => {
    const { token, record } = service.app.get(TokenIssuer).issue(1);
    const bytes = (text: string) => Buffer.from(text.slice(2), 'hex');
    let answer: Promise<Answer> | undefined;
    await transactor.run(async (manager) => {
      const times = { createdAt: Date.now(), updatedAt: Date.now() };
      const group = {
        workspaceId: 1,
        providedId: 'rival',
        name: 'Rival',
        properties: '{}',
        ...times,
      };
      const { identifiers } = await manager.insert(UserGroup, group);
      await manager.insert(UserGroupToken, {
        userGroupId: identifiers[0]!['id'] as number,
        generation: 1,
        workspaceId: 1,
        createdAt: Date.now(),
        ...record,
        tokenHash: bytes(record.tokenHash),
        ciphertext: bytes(record.ciphertext),
      });
      // It finds no group, and then waits for this transaction to insert its own.
      answer = service.api.get({ user_group_id: 'rival', name: 'Rival' });
      // On SQLite it waits in this process, behind this transaction.
      if (kind === 'postgres') await untilLocked(service.database);
      else await until(() => service.app.get<{ queue: object[] }>(Transactor).queue.length > 0);
    });
    const { status, body } = await answer!;
    expect(status).toBe(200);
    expect(body).toMatchObject({ new_user_group: false, user_group: { token } });
  });

  test('100 parallel callers and the command line write at once, without an error', async () => {
    const writing = Array.from({ length: 100 }, async (_, caller) => {
      const statuses: number[] = [];
      for (let count = 0; count < 20; count++) {
        const answer = await service.api.put({
          user_group_id: `w ${caller}`,
          name: `${caller}.${count}`,
        });
        statuses.push(answer.status);
      }
      return statuses;
    });
    const issuing = Array.from({ length: 3 }, async (_, index) => {
      const finished = await runCli(
        service.database.env,
        'token',
        'create',
        '--name',
        `cli ${index}`,
      );
      expect(finished.code).toBe(0);
      return finished.stdout.trim();
    });
    const [statuses, tokens] = await Promise.all([Promise.all(writing), Promise.all(issuing)]);
    expect(new Set(statuses.flat())).toEqual(new Set([200]));
    for (const token of tokens) {
      expect(
        (await service.clientOf(token).get({ user_group_id: 'w 1' })).body.user_group.name,
      ).toBe('1.19');
    }
    expect(await service.dataSource.getRepository(ApiToken).countBy({ name: 'cli 0' })).toBe(1);
  });

  if (kind === 'sqlite') {
    test('what does not go through the transactor cannot write', async () => {
      const write = service.dataSource.getRepository(Workspace).insert(workspace('around'));
      await expect(write).rejects.toThrow(/readonly/);
    });
  }
});

import type { EntityManager } from 'typeorm';
import { ApiToken } from '../../src/api-token/api-token.entity.ts';
import { statement } from '../../src/database/statement.ts';
import { Statements } from '../../src/database/statements.ts';
import { Transactor } from '../../src/database/transactor.ts';
import { TokenIssuer } from '../../src/user-group/token/token-issuer.ts';
import { UserGroupRepository } from '../../src/user-group/group/user-group.repository.ts';
import { Workspace } from '../../src/workspace/workspace.entity.ts';
import type { Answer } from '../support/api-client.ts';
import { onEachDatabase } from '../support/databases.ts';
import { runCli } from '../support/processes.ts';
import { withService } from '../support/test-service.ts';

const addWorkspace = statement<{ name: string }>(
  'test.add-workspace',
  () => `
    INSERT INTO workspace (name, created_at, public_id) VALUES (:name, 1, :name)`,
);

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
          await manager.insert(Workspace, { name: `half ${index}`, createdAt: 1 });
          if (index % 2 === 1) throw new Error('changed my mind');
          await manager.insert(Workspace, { name: `half ${index} whole`, createdAt: 1 });
        }),
      ),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(25);
    const kept = await names('half');
    expect(kept).toHaveLength(50);
    expect(kept.every((name) => Number(name.split(' ')[1]) % 2 === 0)).toBe(true);
  });

  test('a refused statement does not end the work around it', async () => {
    await transactor.run((manager) => manager.insert(Workspace, { name: 'taken', createdAt: 1 }));
    const results = await Promise.allSettled([
      transactor.run((manager) => manager.insert(Workspace, { name: 'neighbour 1', createdAt: 1 })),
      transactor.run((manager) => manager.insert(Workspace, { name: 'taken', createdAt: 1 })),
      transactor.run((manager) => manager.insert(Workspace, { name: 'neighbour 2', createdAt: 1 })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await names('neighbour')).toHaveLength(2);
  });

  describe('what work leaves to its end', () => {
    const refused = new Error('refused');
    const add = (manager: EntityManager, name: string) => {
      statements.runLast(manager, addWorkspace, { name }, () => refused);
    };

    test('is stored in its order, after what came before', async () => {
      await transactor.run(async (manager) => {
        add(manager, 'last 2');
        add(manager, 'last 3');
        await manager.insert(Workspace, { name: 'last 1', createdAt: 1 });
        expect(await manager.countBy(Workspace, { name: 'last 2' })).toBe(0);
      });
      expect(await names('last')).toEqual(['last 1', 'last 2', 'last 3']);
    });

    test('is not even sent if the work fails', async () => {
      const work = transactor.run(async (manager) => {
        await manager.insert(Workspace, { name: 'gone 1', createdAt: 1 });
        add(manager, 'gone 2');
        throw new Error('changed my mind');
      });
      await expect(work).rejects.toThrow('changed my mind');
      await transactor.run((manager) => {
        add(manager, 'stays');
      });
      expect(await names('gone')).toEqual([]);
      expect(await names('stays')).toEqual(['stays']);
    });

    test('rolls all of the work back if one of it is refused, and its neighbours are kept', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 30 }, (_, index) =>
          transactor.run(async (manager) => {
            await manager.insert(Workspace, { name: `end ${index} a`, createdAt: 1 });
            add(manager, `end ${index} b`);
            if (index % 2 === 1) add(manager, `end ${index} a`);
            add(manager, `end ${index} c`);
          }),
        ),
      );
      const failures = results.flatMap((result) =>
        result.status === 'rejected' ? [result.reason as unknown] : [],
      );
      expect(failures).toEqual(Array.from({ length: 15 }, () => refused));
      const kept = await names('end');
      expect(kept).toHaveLength(45);
      expect(kept.every((name) => Number(name.split(' ')[1]) % 2 === 0)).toBe(true);
    });

    test('is refused once the work is done', async () => {
      let kept!: EntityManager;
      await transactor.run((manager) => {
        kept = manager;
      });
      expect(() => {
        add(kept, 'too late');
      }).toThrow('comes after the work');
      expect(await names('too late')).toEqual([]);
    });
  });

  test('nobody reads what is not committed', async () => {
    let seen: string[] | undefined;
    await transactor.run(async (manager) => {
      await manager.insert(Workspace, { name: 'uncommitted', createdAt: 1 });
      seen = await names('uncommitted');
    });
    expect(seen).toEqual([]);
    expect(await names('uncommitted')).toEqual(['uncommitted']);
  });

  test('what 100 callers read under a lock and write back loses no step', async () => {
    await service.api.put({ user_group_id: 'counter', name: '0' });
    const userGroups = service.app.get(UserGroupRepository);
    const key = { workspaceId: 1, providedId: 'counter' };
    await Promise.all(
      Array.from({ length: 100 }, () =>
        transactor.run(async (manager) => {
          const stored = await userGroups.lock(manager, key);
          const { id, name, ...rest } = stored!;
          const next = String(Number(name) + 1);
          userGroups.updateAll(manager, [{ ...rest, id, name: next }], Date.now());
        }),
      ),
    );
    expect((await userGroups.find(key, false))!.name).toBe('100');
  });

  test('a group that a rival creates in the middle of a creation is found, not an error', async () => {
    const userGroups = service.app.get(UserGroupRepository);
    const issuer = service.app.get(TokenIssuer);
    let token: string | undefined;
    const fields = { name: 'Rival', properties: '{}', suspendedAt: null };
    const group = { providedId: 'rival', ...fields };
    let answer: Promise<Answer> | undefined;
    await transactor.run(async (manager) => {
      const now = Date.now();
      const userGroupId = (await userGroups.insertAll(manager, 1, [group], now)).get('rival')!;
      [token] = issuer.issueAll(manager, 1, [{ userGroupId, generation: 1 }], now);
      // It finds no group, and then waits for this transaction to insert its own.
      answer = service.api.get({ user_group_id: 'rival', name: 'Rival' });
      await new Promise((resolve) => setTimeout(resolve, 300));
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
      const write = service.dataSource
        .getRepository(Workspace)
        .insert({ name: 'around', createdAt: 1 });
      await expect(write).rejects.toThrow(/readonly/);
    });
  }
});

import {
  definePlugin,
  KeyProvider,
  RateLimitStore,
  UserGroupChangeGuard,
  type UserGroupChangeRequest,
  type UserGroupChangeTransaction,
  UserGroupServiceModule,
} from '../../src/server/library/index.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { stopTimeLimits } from '../support/time/fake-time.ts';

const COMPATIBLE = { compatibility: '^0.1.0' };
const MEMBERS = 10;

/** Notes what it lets through in a table of its own. */
class Seats extends UserGroupChangeGuard {
  static asked: string[] = [];

  override async beforeChange(
    changes: readonly UserGroupChangeRequest[],
    { manager }: UserGroupChangeTransaction,
  ) {
    const isTooMany = ({ after }: UserGroupChangeRequest) =>
      Number(after?.properties['members'] ?? 0) > MEMBERS;
    for (const { userGroupId } of changes.filter((change) => !isTooMany(change))) {
      Seats.asked.push(userGroupId);
      await manager.query(`INSERT INTO seat_note (note) VALUES ('${userGroupId}')`);
    }
    return changes
      .filter(isTooMany)
      .map((change) => ({ change, detail: `The group has ${MEMBERS} seats.` }));
  }
}

/** Refuses to delete what is protected, and to create what is called `never`. */
class Protection extends UserGroupChangeGuard {
  static asked: string[] = [];

  override beforeChange(changes: readonly UserGroupChangeRequest[]) {
    Protection.asked.push(...changes.map(({ userGroupId }) => userGroupId));
    const refused = changes.filter(
      ({ kind, before, after }) =>
        after?.name === 'never' || (kind === 'delete' && before!.properties['protected'] === true),
    );
    return Promise.resolve(
      refused.map((change) => ({ change, detail: 'The group is protected.' })),
    );
  }
}

const guard = (name: string, useClass: new () => UserGroupChangeGuard) =>
  definePlugin({ name, ...COMPATIBLE, ports: [{ provide: UserGroupChangeGuard, useClass }] });

onEachDatabase((kind) => {
  describe.each([
    ['seats first', [guard('seats', Seats), guard('protection', Protection)]],
    ['protection first', [guard('protection', Protection), guard('seats', Seats)]],
  ])('two guards, %s', (order, plugins) => {
    let service: TestService;

    beforeAll(async () => {
      service = await startTestService(kind, {}, plugins);
      await changeDatabase(service.database, 'CREATE TABLE seat_note (note text NOT NULL)');
    });

    beforeEach(() => {
      Seats.asked = [];
      Protection.asked = [];
    });

    afterAll(() => service.close());

    const put = (id: string, properties: object, name = id) =>
      service.api.put({ user_group_id: id, name, properties });

    test('both are asked, and what either refuses is not stored', async () => {
      expect((await put('p', { protected: true, members: 5 })).status).toBe(200);
      expect(await put('p', { protected: true, members: 500 })).toMatchObject({
        status: 409,
        body: { code: 'change_refused', detail: 'The group has 10 seats.' },
      });
      const path = '/api/v1/user-groups/p';
      expect(await service.api.send({ method: 'DELETE', path })).toMatchObject({
        status: 409,
        body: { code: 'change_refused', detail: 'The group is protected.' },
      });
      expect((await service.api.send({ method: 'GET', path })).body).toMatchObject({
        user_group: { properties: { members: 5 } },
      });
    });

    test('what one has written is stored with what both let through, and with nothing else', async () => {
      stopTimeLimits();
      const ids = Array.from({ length: 20 }, (_, index) => `w${index}`);
      const isNever = (index: number) => index % 5 === 0;
      const answers = await Promise.all(
        ids.map((id, index) => put(id, {}, isNever(index) ? 'never' : 'W')),
      );
      expect(answers.map(({ status }) => status)).toEqual(
        ids.map((_, index) => (isNever(index) ? 409 : 200)),
      );
      const notes = await service.query<{ note: string }>(
        "SELECT note FROM seat_note WHERE note LIKE 'w%' ORDER BY note",
      );
      const stored = ids.filter((_, index) => !isNever(index)).sort();
      expect(notes.map(({ note }) => note)).toEqual(stored);
    });

    test('what the first refuses the second is not asked about', async () => {
      await put('many', { members: 500 });
      await put('nothing', {}, 'never');
      expect(Protection.asked.includes('many')).toBe(order === 'protection first');
      expect(Seats.asked.includes('nothing')).toBe(order === 'seats first');
    });
  });
});

test.each([KeyProvider, RateLimitStore])(
  'two implementations of $name do not start',
  async (port) => {
    const ports = [{ provide: port, useValue: {} }];
    const one = definePlugin({ name: 'one', ...COMPATIBLE, ports });
    const two = definePlugin({ name: 'two', ...COMPATIBLE, ports });
    await expect(startTestService('sqlite', {}, [one, two])).rejects.toThrow(
      `The plugin one and the plugin two both replace ${port.name}; remove one.`,
    );
    expect(() => UserGroupServiceModule.forRoot({ plugins: [one], ports })).toThrow(
      `The plugin one and the application both replace ${port.name}; remove one.`,
    );
  },
);

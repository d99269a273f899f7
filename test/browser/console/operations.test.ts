import type { AuditEventView } from '../../../src/core/audit/dto/audit-event-response.dto.ts';
import type { ApiClient } from '../../support/api/api-client.ts';
import { byHandOn } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { changeDatabase, onEachDatabase } from '../../support/database/databases.ts';

const HOUR_MS = 3_600_000;

onEachDatabase((kind) => {
  const { service, begin } = withConsole(kind);

  const eventsOf = async (api: ApiClient, query: string) =>
    (await api.call('GET', `/api/v1/audit-events?${query}`)).body.audit_events;
  /** An event of the audit log from a time when the test did not run. */
  const storeEvent = (workspace: string, { id, time }: { id: string; time: string }) =>
    changeDatabase(
      service.database,
      `INSERT INTO audit_event (public_id, workspace_id, occurred_at, action, actor_type, object_type, object_id)
       SELECT ${Date.parse(time)}, id, ${Date.parse(time)}, 'user_group.create', 'operator', 'user_group', '${id}'
       FROM workspace WHERE name = '${workspace}'`,
    );

  const storeActivity = (
    workspace: string,
    { hoursAgo, creations }: { hoursAgo: number; creations: number },
  ) => {
    const hour = Math.floor(Date.now() / HOUR_MS - hoursAgo) * HOUR_MS;
    return changeDatabase(
      service.database,
      `INSERT INTO activity (workspace_id, hour, introspections, rotations, creations)
       SELECT id, ${hour}, 0, 0, ${creations} FROM workspace WHERE name = '${workspace}'`,
    );
  };

  byHandOn(kind, (hand) => {
    test('the audit log is filtered, and tells what was before and what came after', async () => {
      const { page, api } = await begin({ hand });
      await createGroup(api, 'acme');
      await createGroup(api, 'globex');
      await api.put({ user_group_id: 'acme', name: 'Acme renamed' });
      await page.visit('groups/acme');
      await page.use(page.tab.getByRole('main').getByRole('link', { name: 'Audit log' }));
      const rows = page.tab.locator('tbody tr');
      expect(await page.read(2, () => rows.count())).toBe(2);
      await page.write(page.field('Action'), 'user_group.update');
      await page.leave();
      expect(await page.read(1, () => rows.count())).toBe(1);
      await page.comesTo(/types=user_group\.update/);
      await page.row('changed acme: name').waitFor();
      await page.use(page.button(/^Details of/));
      await page.shows('user_group.update');
      const changes = async () =>
        (await page.tab.locator('.before-after').innerText()).replaceAll(/\s+/g, ' ');
      const renamed = /Before.*name acme.*After.*name Acme renamed/;
      expect(await page.read(expect.stringMatching(renamed), changes)).toMatch(renamed);
      await page.tab.reload();
      expect(await page.read(1, () => rows.count())).toBe(1);
      await page.use(page.button('Clear filters'));
      await page.row('globex').waitFor();
    });

    test('the audit log is searched by text, object, actor and time, and exported as it is filtered', async () => {
      const { page, token, api, workspace } = await begin({ hand });
      const other = service.clientOf(await service.issueToken(['user-groups:write'], workspace));
      await createGroup(api, 'acme', { name: 'Ravenna' });
      await createGroup(api, 'globex');
      await other.call('PUT', '/api/v1/user-groups/initech', { name: 'initech' });
      const [{ actor }] = (await eventsOf(api, 'object_id=initech')) as [AuditEventView];
      await storeEvent(workspace, { id: 'ancient', time: '2020-05-06T12:00:00Z' });
      /** The objects of the groups' events, the latest first. */
      const objects = () =>
        page.tab
          .locator('tbody tr')
          .filter({ hasText: 'user group' })
          .locator('td:nth-child(3) code');
      const expectOnly = async (...ids: string[]) => {
        expect(await page.read(ids, () => objects().allInnerTexts())).toEqual(ids);
      };
      const clear = async (...ids: string[]) => {
        await page.use(page.button('Clear filters'));
        await expectOnly(...ids);
      };
      const all = ['initech', 'globex', 'acme', 'ancient'];
      await page.visit('audit');
      await expectOnly(...all);

      await page.write(page.field('Search actions, ids and details'), 'ravenna');
      await expectOnly('acme');
      await clear(...all);
      await page.write(page.field('Object'), 'globex');
      await page.leave();
      await expectOnly('globex');
      await clear(...all);
      await page.write(page.field('From'), '2020-05-06T11:59');
      await page.write(page.field('To'), '2020-05-06T12:01');
      await page.leave();
      await expectOnly('ancient');
      const old = await page.saved(page.button('Export these'));
      expect(objectsOf(old)).toEqual(['ancient']);
      await clear(...all);
      await page.use(page.button('Last hour'));
      await expectOnly('initech', 'globex', 'acme');
      await clear(...all);

      await page.select(
        page.tab.getByRole('combobox', { name: 'API token' }),
        String(actor.api_token_id),
      );
      await expectOnly('initech');
      const filtered = await page.saved(page.button('Export these'));
      expect(objectsOf(filtered)).toEqual(['initech']);
      await clear(...all);
      await page.use(page.row('initech').getByRole('button'));
      await page.use(page.tab.locator('.details').getByRole('link', { name: /\(no\. \d+\)/ }));
      await expectOnly('initech');
      await page.use(page.row('initech').getByRole('button'));
      await clear(...all);
      const everything = objectsOf(await page.saved(page.button('Export')));
      expect(everything).toEqual(expect.arrayContaining(all));
      expect(everything).not.toContain(token);

      await page.use(page.row('acme').getByRole('button'));
      await page.use(page.tab.locator('.details').getByRole('link', { name: /^[\w-]{8,}$/ }));
      await expectOnly('acme');
      await page.use(page.row('acme').getByRole('link', { name: 'acme' }));
      await page.heading('Ravenna').waitFor();
    });

    test('what another caller changes appears while the page of events is open', async () => {
      const { page, api } = await begin({ hand });
      await page.visit('events');
      await page.tab.getByText('live', { exact: true }).waitFor();
      await createGroup(api, 'acme');
      await page.row('user_group.create').getByRole('link', { name: 'acme' }).waitFor();
      // A page that is opened later begins with what has happened.
      await page.visit('events');
      const created = page.row('user_group.create').filter({ hasText: 'acme' });
      await created.waitFor();
      await page.use(created.getByRole('button', { name: /^Details of/ }));
      await page.row('After').getByText('acme').first().waitFor();
      await page.write(page.field('Types, such as user_group.*, api_token.*'), 'user_group.delete');
      await page.tab.waitForURL(/#\/events\?types=user_group\.delete$/);
      await page.use(page.button('Pause'));
      await page.shows('paused');
      await page.use(page.button('Go on'));
      await page.tab.getByText('live', { exact: true }).waitFor();
      await createGroup(api, 'globex');
      await api.call('DELETE', '/api/v1/user-groups/globex');
      await page.row('user_group.delete').waitFor();
      expect(await page.read(1, () => page.tab.locator('tbody tr').count())).toBe(1);
      await page.use(page.button('Pause'));
      await page.shows('paused');
      await createGroup(api, 'initech');
      await api.call('DELETE', '/api/v1/user-groups/initech');
      await page.use(page.button('Go on'));
      await page.row('initech').waitFor();
      expect(await page.read(2, () => page.tab.locator('tbody tr').count())).toBe(2);
    });

    test('the overview counts what there is', async () => {
      const { page, api } = await begin({ hand });
      await createGroup(api, 'acme');
      await createGroup(api, 'globex');
      await api.call('POST', '/api/v1/user-groups/acme/suspend');
      await page.visit();
      const groups = page.tab.locator('.tile').filter({ hasText: 'User groups' });
      const suspended = page.tab
        .getByRole('listitem')
        .filter({ hasText: 'user group is suspended' });
      const counts = async () => [
        await groups.locator('.tile-count').innerText(),
        await suspended.locator('strong').innerText(),
      ];
      expect(await page.read(['2', '1'], counts)).toEqual(['2', '1']);
      await page.tab.locator('.plot svg').first().waitFor();
      await page.use(suspended.getByRole('link'));
      await page.row('acme').waitFor();
      await page.comesTo('groups?status=suspended');
    });

    test('the overview shows what has happened in the period that is chosen', async () => {
      const { page, workspace } = await begin({ hand });
      await storeActivity(workspace, { hoursAgo: 72, creations: 7 });
      await storeActivity(workspace, { hoursAgo: 720, creations: 40 });
      await page.visit();
      await page.use(page.button('Hide'));
      const created = page.tab
        .locator('.legend')
        .filter({ hasText: 'New groups' })
        .locator('strong');
      const expectCreated = async (count: string) => {
        expect(await page.read(count, () => created.innerText())).toBe(count);
      };
      await expectCreated('0');
      await page.use(page.tab.getByRole('radio', { name: '7 days' }));
      await expectCreated('7');
      await page.use(page.tab.getByRole('radio', { name: '90 days' }));
      await expectCreated('47');
      await page.comesTo('?period=90d');
      await page.tab.reload();
      await page.use(page.button('Hide'));
      await expectCreated('47');
      expect(
        await page.read(true, () => page.tab.getByRole('radio', { name: '90 days' }).isChecked()),
      ).toBe(true);
    });

    test('a chart tells the numbers of each of its hours', async () => {
      const { page, workspace } = await begin({ hand });
      await storeActivity(workspace, { hoursAgo: 5, creations: 7 });
      await storeActivity(workspace, { hoursAgo: 9, creations: 2 });
      await page.visit();
      await page.use(page.button('Hide'));
      const chart = page.tab.locator('.chart').last();
      const plot = chart.locator('.plot');
      const created = chart.locator('.legend').last().locator('strong');
      expect(await page.read('9', () => created.innerText())).toBe('9');
      const { width } = (await plot.boundingBox())!;
      const seen: string[] = [];
      if (hand === 'keyboard') await page.tabTo(plot);
      for (let hour = 23; hour >= 0; hour--) {
        if (hand === 'keyboard') await page.press('ArrowLeft');
        else await plot.hover({ position: { x: 1 + (hour / 23) * (width - 2), y: 20 } });
        await chart.locator('figcaption time').waitFor();
        seen.push(await created.innerText());
      }
      expect(seen).toHaveLength(24);
      expect(seen.filter((count) => count !== '0')).toEqual(['7', '2']);
      if (hand === 'keyboard') await page.press('Escape');
      else await page.heading('Overview').hover();
      await chart.getByText('Total').waitFor();
      expect(await page.read('9', () => created.innerText())).toBe('9');
    });
  });

  test('the page of the system tells the version, the database and the retention periods', async () => {
    const { page } = await begin();
    await page.visit('system');
    await page.heading(/^System ready$/).waitFor();
    await page.shows(kind === 'sqlite' ? /sqlite/i : /postgres/i);
    await page.shows('events kept for');
    await page.shows('168 hours');
  });
});

/** The ids of the groups of an export, whose last line is its summary. */
function objectsOf(file: string): string[] {
  const events = file
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AuditEventView);
  return events
    .filter(({ object }) => object?.type === 'user_group')
    .map(({ object }) => object!.id);
}

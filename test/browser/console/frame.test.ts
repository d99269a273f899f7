import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scopes as allScopes } from '../../../src/platform/common/access/caller.ts';
import { fillWorkspace, placesOf } from '../../support/console/console-content.ts';
import { byHandOn } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';
import type { TestService } from '../../support/test-service.ts';

const PAGES = [
  'Overview',
  'User groups',
  'Jobs',
  'Inspect a token',
  'Leaked tokens',
  'Registry',
  'Targets',
  'API tokens',
  'Audit log',
  'Webhooks',
  'Events',
  'Sessions',
  'System',
];

onEachDatabase((kind) => {
  const { service, open, begin } = withConsole(kind);

  byHandOn(kind, (hand) => {
    test('the navigation leads to every page, and the browser leads back', async () => {
      const { page } = await begin({ hand });
      await page.visit();
      const links = page.tab.getByRole('navigation', { name: 'Pages' }).getByRole('link');
      expect(await page.read(PAGES, () => links.allInnerTexts())).toEqual(PAGES);
      for (const name of PAGES) {
        await page.use(links.filter({ hasText: name }));
        await page.heading(new RegExp(`^${name}`)).waitFor();
        expect(
          await page.read('page', () =>
            links.filter({ hasText: name }).getAttribute('aria-current'),
          ),
        ).toBe('page');
      }
      await page.tab.goBack();
      await page.heading('Sessions').waitFor();
    });

    test('the colours that are chosen stay, also where nobody is signed in', async () => {
      const { page } = await begin({ hand, colorScheme: 'light' });
      const colour = () => page.tab.evaluate<string>('getComputedStyle(document.body).color');
      await page.visit();
      const light = await colour();
      await page.use(page.button('Colours'));
      await page.use(page.button('Dark'));
      expect(await page.read(false, async () => (await colour()) === light)).toBe(false);
      const dark = await colour();
      await page.tab.reload();
      await page.button('Colours').waitFor();
      expect(await page.read(dark, colour)).toBe(dark);
      await page.use(page.button('Sign out'));
      await page.field('API token').waitFor();
      await page.tab.reload();
      await page.field('API token').waitFor();
      expect(await page.read(dark, colour)).toBe(dark);
    });

    test('the keys that the page knows are told', async () => {
      const { page } = await begin({ hand });
      await page.visit('groups');
      await page.use(page.button('Help'));
      await page.shows(/^Version \d/);
      await page.tab.getByRole('link', { name: 'API docs' }).waitFor();
      await page.use(page.button('Keyboard shortcuts'));
      await page.dialog('Keyboard shortcuts').getByText('search on this page').waitFor();
      await page.use(page.dialog('Keyboard shortcuts').getByRole('button', { name: 'Close' }));
      await page.dialog('Keyboard shortcuts').waitFor({ state: 'detached' });
    });
  });

  test('on a telephone no page is wider than its screen', async () => {
    const long = 'a-name-without-any-place-to-break-it-'.repeat(4);
    const { page, api } = await begin({ width: 360 });
    const made = await fillWorkspace(api, [long]);
    for (const place of placesOf(long, made)) {
      await page.visit(place);
      await page.settle();
      expect([place, await page.read(0, () => page.overhang())]).toEqual([place, 0]);
    }
    await page.visit('registry/policy');
    await page.settle();
    expect(await page.read(0, () => page.overhang('.tabs'))).toBe(0);
    const dialogs: [place: string, button: string][] = [
      ['groups', 'New user group'],
      ['groups', 'Import'],
      [`groups/${long}`, 'Edit'],
      [`groups/${long}`, 'Rotate'],
      [`groups/${long}`, 'Delete'],
      ['api-tokens', 'New API token'],
    ];
    for (const [place, name] of dialogs) {
      await page.visit(place);
      await page.button(name).click();
      await page.tab.getByRole('dialog').waitFor();
      const overhangs = () => Promise.all([page.overhang(), page.overhang('dialog')]);
      expect([name, await page.read([0, 0], overhangs)]).toEqual([name, [0, 0]]);
    }
    await page.context.clearCookies();
    await page.visit();
    expect(await page.read(0, () => page.overhang())).toBe(0);
  });

  describe('below a path of a proxy', () => {
    let proxy: Server;
    let at: string;

    beforeAll(async () => {
      proxy = behind('/ops', service);
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/ops`;
    });

    afterAll(() => {
      proxy.closeAllConnections();
      proxy.close();
    });

    test('everything is found, the calls and the streams as well', async () => {
      const token = await service.issueToken([...allScopes], 'behind-a-proxy');
      const page = await open({ at });
      const asked: string[] = [];
      page.tab.on('request', (call) => asked.push(call.url()));
      await page.tab.goto(`${at}/console#/events`);
      await page.field('API token').fill(token);
      await page.button('Sign in').click();
      await page.tab.getByText('live', { exact: true }).waitFor();
      await createGroup(service.clientOf(token), 'acme');
      await page.row('user_group.create').getByRole('link', { name: 'acme' }).click();
      await page.heading('acme').waitFor();
      await page.button('Suspend').click();
      await page.dialog('Suspend this user group').getByRole('button', { name: 'Suspend' }).click();
      await page.shows('No token of this group works');
      expect(page.tab.url()).toBe(`${at}/console/#/groups/acme`);
      expect(asked.filter((url) => !url.startsWith(at))).toEqual([]);
    });
  });
});

/** A proxy that serves what a service has below a path, and nothing else. */
function behind(path: string, service: TestService): Server {
  return createServer((incoming, outgoing) => {
    const url = incoming.url!;
    if (!url.startsWith(`${path}/`)) {
      outgoing.writeHead(404).end();
      return;
    }
    const { method, headers } = incoming;
    const options = { port: service.port, method, headers, path: url.slice(path.length) };
    const call = request({ host: '127.0.0.1', ...options }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    call.on('error', () => outgoing.destroy());
    outgoing.on('close', () => call.destroy());
    incoming.pipe(call);
  });
}

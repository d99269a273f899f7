import { freePort } from '../../system/lab/ports.mjs';
import { byHandOn, type ConsolePage, type Hand } from '../../support/console/console-page.ts';
import { createGroup, withConsole } from '../../support/console/console-tests.ts';
import { onEachDatabase } from '../../support/database/databases.ts';
import { TestIdentityProvider } from '../../support/servers/identity-provider.ts';
import { promised } from '../../support/promised.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';
import { until } from '../../support/time/until.ts';

onEachDatabase((kind) => {
  const { service, open, begin } = withConsole(kind);

  /** The response to a browser with these cookies that reads its session. */
  const sessionOf = async (cookies: { name: string; value: string }[]) => {
    const Cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const client = service.clientOf(undefined);
    const answer = await client.call('GET', '/console/session', undefined, { Cookie });
    return [answer.status, answer.body.code];
  };

  byHandOn(kind, (hand) => {
    test('a token opens the page where one wanted to go, and is kept by nothing there', async () => {
      const token = await service.issueToken(['user-groups:read']);
      const page = await open({ hand });
      await page.visit('groups?status=suspended');
      await page.write(page.field('API token'), token);
      await page.use(page.button('Sign in'));
      await page.heading('User groups').waitFor();
      await page.comesTo('groups?status=suspended');
      const kept = await page.tab.evaluate<string>(
        'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href, document.body.innerHTML])',
      );
      expect(kept.slice(0, 9)).toBe('[{},{},""');
      expect(kept).not.toContain(token);
      const cookies = await page.context.cookies();
      expect(cookies).toEqual([expect.objectContaining({ httpOnly: true, sameSite: 'Strict' })]);
    });

    test('where one gets a token is told within the form', async () => {
      const page = await open({ hand });
      await page.visit();
      await page.use(page.tab.getByText('Where is my token?'));
      await page.shows('bootstrap-token');
      expect(await page.read(0, () => page.overhang('.sign-in .form'))).toBe(0);
    });

    test('a wrong token is refused in the words of the API, with the number of the request', async () => {
      const page = await open({ hand });
      await page.visit();
      const wrong = `uga_${'0'.repeat(38)}`;
      await page.write(page.field('API token'), wrong);
      await page.use(page.button('Sign in'));
      const trouble = page.tab.getByRole('alert');
      await trouble.waitFor();
      page.takeRefusal(401);
      const { body } = await service.clientOf(wrong).call('GET', '/api/v1/user-groups');
      for (const words of [body.detail, 'api_token_invalid']) {
        await trouble.getByText(words).first().waitFor();
      }
      const text = await trouble.innerText();
      const [, request] = /request\s+([\w-]{8,})/.exec(text)!;
      await page.use(page.button('Copy request id'));
      expect(await page.read(request!, () => page.clipboard())).toBe(request);
      await page.use(page.tab.getByText('Where is my token?'));
      await page.use(page.button('Copy the call'));
      await until(async () => (await page.clipboard()).includes('token create'));
    });

    test('signing out ends the session, not only the page', async () => {
      const { page } = await begin({ hand });
      const cookies = await page.context.cookies();
      await page.visit('groups');
      await page.use(page.button('Sign out'));
      await page.field('API token').waitFor();
      expect(await page.read(0, () => page.tab.getByRole('status').count())).toBe(0);
      expect(await sessionOf(cookies)).toEqual([401, 'session_ended']);
    });

    test('a session is ended from another one, and then its own', async () => {
      const { page, workspace } = await begin({ hand });
      const { page: other } = await begin({ scopes: ['user-groups:read'], workspace });
      await other.visit('groups');
      await page.visit('sessions');
      const rows = page.tab.locator('tbody tr');
      expect(await page.read(2, () => rows.count())).toBe(2);
      const end = (row: typeof rows) => page.use(row.getByRole('button', { name: 'Sign out' }));
      await end(rows.filter({ hasNotText: 'This session' }));
      await page.use(
        page.dialog('Sign out this session').getByRole('button', { name: 'Sign out' }),
      );
      await other.field('API token').waitFor();
      expect(await page.read(1, () => rows.count())).toBe(1);
      await end(page.row('This session'));
      await page.use(
        page.dialog('Sign out this session').getByRole('button', { name: 'Sign out' }),
      );
      await page.field('API token').waitFor();
    });
  });

  test('where the API token is revoked at another process, the page is at the sign-in within a second', async () => {
    const other = await startTestService(service.database);
    const token = await service.issueToken(['user-groups:read']);
    const page = await open({ at: other.baseUrl });
    await page.signIn(token);
    const watching = page.tab.waitForResponse((answer) => answer.url().endsWith('/watch'));
    await page.visit('groups');
    await watching;
    await service.revokeToken(token);
    // Playwright's own waiting looks only twice a second after a while.
    const atSignIn = until(() => page.field('API token').isVisible());
    await promised(1000, atSignIn);
    await page.shows('The API token of this session was revoked');
    page.takeAnyRefusals(401);
    await page.context.close();
    await other.close();
  });

  describe('once the API token has ended, the page has nothing of the workspace any more', () => {
    const DATA = ['Ravenna Holdings', 'a-schema', 'a-source', 'a-property', 'a-value'];
    const [name, schema, source, property, value] = DATA as [
      string,
      string,
      string,
      string,
      string,
    ];
    const places: [place: string, dialog: string][] = [
      ['groups', ''],
      ['groups/acme', 'Edit'],
      ['groups/acme', 'Delete'],
      ['registry/policy', ''],
      ['audit', ''],
    ];

    test.each(places)('at #/%s %s', async (place, dialog) => {
      const { page, token, api } = await begin();
      const mapping = { [schema]: source };
      await createGroup(api, 'acme', { name, mapping, properties: { [property]: value } });
      const watching = page.tab.waitForResponse((answer) => answer.url().endsWith('/watch'));
      await page.visit(place);
      await page.settle();
      await watching;
      const unfold = page.tab.locator('.unfold');
      if (place === 'audit') await unfold.first().click();
      if (dialog) await page.button(dialog).click();
      const shown = async () => {
        const text = `${await page.tab.content()} ${(await page.fieldValues()).join(' ')}`;
        return DATA.filter((one) => text.includes(one));
      };
      expect(await page.read(true, async () => (await shown()).length > 0)).toBe(true);
      await service.revokeToken(token);
      await page.button('Sign in').waitFor();
      expect(await page.read([], shown)).toEqual([]);
      expect(await page.read(0, () => page.tab.getByRole('dialog').count())).toBe(0);
      page.takeAnyRefusals(401);
    });
  });

  describe('with an identity provider', () => {
    const ACCOUNTS = { anna: { groups: ['operators'] }, carl: { groups: ['others'] } };
    const GRANT = { claim: 'groups', value: 'operators', workspace: 'default' };
    let provider: TestIdentityProvider;
    let guarded: TestService;

    beforeAll(async () => {
      const port = await freePort();
      const origin = `http://127.0.0.1:${port}`;
      const redirectUri = `${origin}/console/sign-in/openid/callback`;
      const client = { id: 'console', secret: 'secret', redirectUri };
      provider = await TestIdentityProvider.start(client, ACCOUNTS);
      guarded = await startTestService(kind, {
        PORT: String(port),
        PUBLIC_URL: origin,
        CONSOLE_OIDC_ISSUER: provider.issuer,
        CONSOLE_OIDC_CLIENT_ID: client.id,
        CONSOLE_OIDC_CLIENT_SECRET: client.secret,
        CONSOLE_OIDC_SCOPE: 'openid groups',
        CONSOLE_OIDC_GRANTS: JSON.stringify([{ ...GRANT, scopes: ['user-groups:read'] }]),
      });
      for (const id of ['acme', 'globex']) await createGroup(guarded.api, id);
      await guarded.api.call('POST', '/api/v1/user-groups/globex/suspend');
    });

    afterAll(async () => {
      await guarded.close();
      await provider.stop();
    });

    const link = (page: ConsolePage) =>
      page.tab.getByRole('link', { name: 'Sign in with your organisation' });
    /** A page that an account of the provider sits at. */
    const openAs = async (account: keyof typeof ACCOUNTS, hand: Hand) => {
      const page = await open({ hand, at: guarded.baseUrl });
      await page.context.addCookies([{ name: 'account', value: account, url: provider.issuer }]);
      return page;
    };

    byHandOn(kind, (hand) => {
      test('somebody of the organisation signs in there, and is where they wanted to go', async () => {
        const page = await openAs('anna', hand);
        await page.visit('groups?status=suspended');
        await page.use(link(page));
        await page.row('globex').waitFor();
        expect(await page.read(1, () => page.tab.locator('tbody tr').count())).toBe(1);
        await page.comesTo('groups?status=suspended');
        await page.use(page.button('Sign out'));
        await link(page).waitFor();
        expect(await page.tab.content()).not.toContain('globex');
      });

      test('a link of another site shows a button, and leads on from there', async () => {
        const page = await openAs('anna', hand);
        const asked = new URLSearchParams({ workspace: 'default', place: '/groups/acme' });
        const to = `${guarded.baseUrl}/console/sign-in/openid?${asked.toString()}`;
        await page.tab.route('http://portal.example/**', (route) =>
          route.fulfill({ contentType: 'text/html', body: `<a href="${to}">The console</a>` }),
        );
        await page.tab.goto('http://portal.example/');
        await page.tab.getByRole('link').click();
        await page.shows('A link has led you here');
        await page.use(link(page));
        await page.heading('acme').waitFor();
        await page.comesTo('groups/acme');
      });

      test('somebody whom nothing is granted is told so in words, and may use a token instead', async () => {
        const page = await openAs('carl', hand);
        await page.visit('groups');
        await page.use(link(page));
        const refusal = page.tab.getByRole('alert');
        await refusal.waitFor();
        expect(
          await page.read(
            expect.stringMatching(
              /^You are known, but nothing is granted to you here\. Ask the operator of the service\.\s+sign_in_not_granted\s+[\w-]{8,}$/,
            ),
            () => refusal.innerText(),
          ),
        ).toMatch(
          /^You are known, but nothing is granted to you here\. Ask the operator of the service\.\s+sign_in_not_granted\s+[\w-]{8,}$/,
        );
        const cookies = await page.context.cookies();
        expect(cookies.map((cookie) => cookie.name)).not.toContain('console');
        await page.write(page.field('API token'), guarded.bootstrapToken);
        await page.use(page.button('Sign in'));
        await page.heading('Overview').waitFor();
        await page.comesTo('');
      });
    });
  });
});

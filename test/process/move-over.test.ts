import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { step } from '../support/api/pages.ts';
import { createTestDatabase, onEachDatabase } from '../support/database/databases.ts';
import { BOOTSTRAP_TOKEN } from '../support/process/processes.ts';
import { OldSystem, oldToken } from '../support/servers/old-system.ts';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const root = join(import.meta.dirname, '..', '..');
const SCRIPT = join(root, 'examples', 'move-over', 'import.mjs');
const PAGE = 'docs/guides/move-over.md';
const OLD_API_TOKEN = 'the-API-token-of-the-old-system';
/** Customers on a page, whatever the request says. */
const PAGE_SIZE = 2;

interface Customer {
  token?: unknown;
  name?: unknown;
  provided_id?: unknown;
  [field: string]: unknown;
}

interface Listing {
  customers: Customer[];
  /** The pages that were requested, with the credentials. */
  requested: { page: number; credentials: unknown }[];
  /** Text of a page in place of the customers; undefined for the page as it is. */
  textOf?: (page: number) => string | undefined;
  /** Takes a request for itself. */
  takes?: (page: number, end: (status?: number, headers?: object) => void) => boolean;
}

onEachDatabase((kind) => {
  const service = withService(kind);
  let old: OldSystem;
  let list: Listing;
  let count = 0;

  beforeAll(async () => {
    old = await OldSystem.listen();
  });

  beforeEach(() => {
    list = { customers: [], requested: [] };
    old.reply = (response, { url, headers, method }) => {
      const page = Number(new URL(url!, old.url).searchParams.get('page'));
      list.requested.push({ page, credentials: [method, headers['explo-authorization']] });
      const end = (status?: number, more: object = {}) =>
        status === undefined
          ? response.destroy()
          : response.writeHead(status, { ...more }).end('{}');
      if (list.takes?.(page, end)) return;
      const customers = list.customers.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
      const body = { total_count: list.customers.length, results: { customers } };
      response.end(list.textOf?.(page) ?? JSON.stringify(body));
    };
  });

  afterAll(() => old.close());

  const customer = (fields: Customer = {}): Customer => {
    const provided_id = `customer ${++count}`;
    return { token: oldToken(), name: `Customer ${count}`, provided_id, ...fields };
  };
  const start = (env: Record<string, string> = {}, ...args: string[]) =>
    spawn(process.execPath, [SCRIPT, ...args], {
      env: {
        PATH: process.env['PATH'],
        OLD_LIST_URL: `${old.url}/v2/api/customers/`,
        OLD_API_TOKEN,
        USER_GROUPS_URL: service.baseUrl,
        USER_GROUPS_TOKEN: BOOTSTRAP_TOKEN,
        ...env,
      },
    });
  const end = async (child: ChildProcess) => {
    const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
    if (child.exitCode === null) await once(child, 'exit');
    const secrets = [OLD_API_TOKEN, BOOTSTRAP_TOKEN, ...list.customers.map(({ token }) => token)];
    for (const secret of secrets) {
      if (typeof secret === 'string' && secret) expect(stdout + stderr).not.toContain(secret);
    }
    return { code: child.exitCode, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
  };
  const run = (...args: Parameters<typeof start>) => end(start(...args));
  const counted = (
    created: number,
    updated: number,
    unchanged: number,
    refused = 0,
    replaced = 0,
  ) =>
    `${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused, ${replaced} tokens replaced.`;
  const introspect = async ({ token }: Customer) => {
    const { body } = await service.api.call('POST', '/api/v1/introspect', { token });
    return body as unknown as Record<string, unknown>;
  };

  test('every customer of every page becomes a group with its token, once', async () => {
    const heir = customer({
      properties: { region: 'EMEA' },
      computed_properties: { region: 'EMEA', plan: 'gold' },
      parent_schema_datasource_mapping: { 40: '213' },
      computed_parent_schema_datasource_mapping: { 40: '213', 134: '386' },
      emails: ['somebody@example.com'],
      group_tags: ['sales'],
      access_group: 'Production',
      hierarchy_level: 'Level 1',
      is_demo_group: false,
    });
    const plain = customer({ properties: { a: 1 }, parent_schema_datasource_mapping: null });
    list.customers = [heir, plain, customer(), customer(), customer()];
    expect(await run()).toEqual({ code: 0, stdout: counted(5, 0, 0), stderr: '' });
    expect(list.requested).toEqual(
      [1, 2, 3].map((page) => ({ page, credentials: ['GET', `Token ${OLD_API_TOKEN}`] })),
    );
    expect(await introspect(heir)).toMatchObject({
      active: true,
      sub: heir.provided_id,
      name: heir.name,
      mapping: { 40: '213', 134: '386' },
      properties: { region: 'EMEA', plan: 'gold' },
    });
    expect(await introspect(plain)).toMatchObject({ mapping: {}, properties: { a: 1 } });
    expect(await run()).toEqual({ code: 0, stdout: counted(0, 0, 5), stderr: '' });
  });

  test('what no group can have is refused line by line, and alters nothing', async () => {
    const good = customer({
      name: 'Ämter “\u202e\u009b2J” \\" 1',
      properties: { ['__proto__']: { kept: true }, rate: 0.1, big: 1e21 },
    });
    const rounded = customer();
    const exact = customer();
    list.customers = [
      good,
      customer({ token: undefined }),
      customer({ token: '' }),
      customer({ token: `uga_${'0'.repeat(38)}` }),
      customer({ token: 42 }),
      customer({ token: good.token }),
      customer({ name: '' }),
      customer({ name: '\ud800' }),
      customer({ provided_id: 'line\nend \u001b[2J' }),
      customer({ provided_id: 7 }),
      customer({ provided_id: undefined }),
      customer({ properties: { text: 'x'.repeat(20_000) } }),
      customer({ properties: 'text' }),
      customer({ parent_schema_datasource_mapping: { 40: { id: 1 } } }),
      rounded,
      exact,
    ];
    list.textOf = (page) =>
      page === 8
        ? JSON.stringify({
            total_count: 16,
            results: { customers: [{ ...rounded, properties: { n: 0 } }, exact] },
          })
            .replace('"n":0', '"n":9007199254740993')
            .replace(
              `"name":"${exact.name as string}"`,
              '$&,"properties":{"n":1.50e1,"t":"9007199254740993"}',
            )
        : undefined;
    const { code, stdout, stderr } = await run();
    expect([code, stdout]).toEqual([4, counted(2, 0, 0, 14)]);
    const id = (at: number) => JSON.stringify(list.customers[at]!.provided_id);
    const lines = stderr.split('\n');
    expect(lines).toEqual([
      `${id(1)}: It has no token.`,
      `${id(2)}: It has no token.`,
      expect.stringMatching(`^${id(3)}: validation_failed .* /token$`),
      expect.stringMatching(`^${id(4)}: validation_failed .* /token$`),
      expect.stringMatching(`^${id(5)}: token_not_usable `),
      expect.stringMatching(`^${id(6)}: validation_failed .* /name$`),
      expect.stringMatching(`^${id(7)}: validation_failed .* /name$`),
      expect.stringMatching(/^"line\\nend \\u001b\[2J": validation_failed .* \/provided_id$/),
      expect.stringMatching('^7: validation_failed .* /provided_id$'),
      expect.stringMatching('^null: validation_failed .* /provided_id$'),
      expect.stringMatching(`^${id(11)}: validation_failed .* /properties$`),
      expect.stringMatching(`^${id(12)}: validation_failed .* /properties$`),
      expect.stringMatching(`^${id(13)}: validation_failed .* /mapping/40$`),
      expect.stringMatching(`^${id(14)}: validation_failed .* /properties/n$`),
    ]);
    const found = await introspect(good);
    expect(found).toMatchObject({ name: good.name, properties: { rate: 0.1, big: 1e21 } });
    expect(found).toHaveProperty(['properties', '__proto__'], { kept: true });
    expect(await introspect(exact)).toMatchObject({
      properties: { n: 15, t: '9007199254740993' },
    });
  });

  test('an import that is broken off is finished by the next one', async () => {
    list.customers = Array.from({ length: 6 }, () => customer());
    let isReached = false;
    list.takes = (page) => page === 2 && (isReached = true);
    const broken = start();
    await until(() => isReached);
    broken.kill('SIGKILL');
    expect(await end(broken)).toMatchObject({ code: null, stdout: '' });
    const active = async () =>
      (await Promise.all(list.customers.map(introspect))).map((one) => one['active']);
    expect(await active()).toEqual([true, true, false, false, false, false]);
    // A response that is cut off once, and a service that is busy once.
    const trouble: (number | undefined)[] = [undefined, 503, 429];
    list.takes = (_page, fail) => {
      const isTrouble = trouble.length > 0;
      if (isTrouble) fail(trouble.shift());
      return isTrouble;
    };
    expect(await run()).toEqual({ code: 0, stdout: counted(4, 0, 2), stderr: '' });
    expect(await active()).toEqual(list.customers.map(() => true));
  });

  test('the next import brings what has changed, and no token that was replaced here', async () => {
    const [renamed, rotated, ours, same] = [customer(), customer(), customer(), customer()];
    list.customers = [renamed, rotated, ours, same];
    expect((await run()).stdout).toBe(counted(4, 0, 0));
    const former = { ...rotated };
    Object.assign(renamed, { name: 'Another name', properties: { seats: 2 } });
    rotated.token = oldToken();
    const path = `/api/v1/user-groups/${encodeURIComponent(ours.provided_id as string)}/tokens/rotate`;
    const { body } = await service.api.call('POST', path, {});
    const { code, stdout, stderr } = await run();
    expect([code, stdout]).toEqual([4, counted(0, 2, 1, 1, 1)]);
    expect(stderr.split('\n')).toEqual([
      `"${rotated.provided_id as string}": its token was replaced`,
      expect.stringMatching(`^"${ours.provided_id as string}": token_not_usable `),
    ]);
    expect(await introspect(renamed)).toMatchObject({
      name: 'Another name',
      properties: { seats: 2 },
    });
    expect(await introspect(former)).toEqual({ active: false });
    expect(await introspect(rotated)).toMatchObject({ active: true });
    expect(await introspect(ours)).toEqual({ active: false });
    expect(await introspect({ token: body.user_group.token })).toMatchObject({ active: true });
  });

  test('a list that changes meanwhile, or is not whole, is not complete', async () => {
    list.customers = [customer(), customer(), customer(), customer()];
    const [first] = list.customers;
    list.takes = (page) => {
      if (page === 2 && list.customers.includes(first!)) list.customers.shift();
      return false;
    };
    const stderr = 'The list has changed, or has not all customers. Run it again.';
    expect(await run()).toEqual({ code: 1, stdout: counted(2, 0, 0), stderr });
    list.takes = undefined;
    expect(await run()).toMatchObject({ code: 0, stdout: counted(2, 0, 1) });
    // A list that ignores the number of the page.
    const body = { total_count: 9, results: { customers: list.customers } };
    list.textOf = () => JSON.stringify(body);
    expect(await run()).toEqual({ code: 1, stdout: counted(0, 0, 3), stderr });
  });

  test.each([
    ['an HTML page', '<html>secret</html>'],
    ['no total', '{"results": {"customers": []}}'],
    ['no customers', '{"total_count": 1, "results": {}}'],
    ['a list', '[]'],
    ['nothing', 'null'],
  ])('a list that is %s ends it, and is not shown', async (_what, said) => {
    list.textOf = () => said;
    const { code, stdout, stderr } = await run();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^(A response is not|The list has no) [^<]+ Not complete: run it again\.$/,
    );
  });

  test('a refused credential, and a redirection, end it', async () => {
    list.customers = [customer()];
    list.takes = (_page, fail) => (fail(401), true);
    expect(await run()).toMatchObject({
      code: 1,
      stderr: 'The list responded with 401. Not complete: run it again.',
    });
    const elsewhere = await OldSystem.listen();
    list.takes = (_page, fail) => (fail(307, { Location: elsewhere.url }), true);
    expect(await run()).toMatchObject({
      code: 1,
      stderr: 'The list responded with 307. Not complete: run it again.',
    });
    expect(elsewhere.asked).toEqual([]);
    await elsewhere.close();
    list.takes = undefined;
    expect(await run({ USER_GROUPS_TOKEN: 'a-wrong-token-of-the-service' })).toMatchObject({
      code: 1,
      stderr: 'The import responded with 401. Not complete: run it again.',
    });
    expect(list.requested).toHaveLength(3);
  });

  test('without a variable, or with an argument that it does not have, it does nothing', async () => {
    for (const variable of ['OLD_API_TOKEN', 'USER_GROUPS_URL', 'USER_GROUPS_TOKEN']) {
      expect(await run({ [variable]: '' })).toMatchObject({ code: 2, stdout: '' });
    }
    expect(await run({}, OLD_API_TOKEN)).toMatchObject({ code: 2, stdout: '' });
    expect(list.requested).toEqual([]);
  });

  test('the commands of the page move the customers, and bring one that is new', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'user-groups-move-'));
    for (const name of ['dist', 'examples', 'node_modules', 'package.json']) {
      symlinkSync(join(root, name), join(directory, name));
    }
    const { env, drop } = await createTestDatabase(kind);
    writeFileSync(join(directory, 'old-api-token'), OLD_API_TOKEN);
    writeFileSync(join(directory, 'api-token'), BOOTSTRAP_TOKEN);
    writeFileSync(join(directory, 'old-authorization'), 'Bearer old');
    const of = (name: string) =>
      step(PAGE, name)
        .replace('https://old.example.com/introspect', old.url)
        .replace('http://127.0.0.1:3000', service.baseUrl);
    const shell = (...names: string[]) =>
      spawn(
        'bash',
        [
          '-euc',
          names
            .map(of)
            .join('\n')
            .replace(/^PLUGINS=/m, 'exec env PLUGINS='),
        ],
        {
          cwd: directory,
          stdio: ['ignore', 'pipe', 'pipe'],
          env: {
            PATH: process.env['PATH'],
            OLD_LIST_URL: old.url,
            ...env,
            PORT: '0',
            METRICS_PORT: '0',
            BOOTSTRAP_API_TOKEN: BOOTSTRAP_TOKEN,
            LOG_FORMAT: 'json',
          },
        },
      );
    list.customers = [customer(), customer(), customer()];
    expect(await end(shell('set', 'try'))).toEqual({
      code: 0,
      stdout: counted(3, 0, 0),
      stderr: '',
    });
    expect(await introspect(list.customers[0]!)).toEqual({ active: false });
    expect(await end(shell('set', 'import'))).toEqual({
      code: 0,
      stdout: counted(3, 0, 0),
      stderr: '',
    });
    expect(await introspect(list.customers[0]!)).toMatchObject({ active: true });
    old.reply = undefined;
    const token = old.add('new');
    const server = shell('run both');
    let output = '';
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    await until(
      () => /"api":"([^"]+)\/api\/user"/.test(output),
      () => output,
    );
    const [, url] = /"api":"([^"]+)\/api\/user"/.exec(output)!;
    const response = await fetch(`${url}/api/v1/introspect`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${BOOTSTRAP_TOKEN}` },
      body: new URLSearchParams({ token }),
    });
    expect(await response.json()).toMatchObject({ active: true, sub: 'new' });
    expect(old.credentials.at(-1)).toBe('Bearer old');
    const exit = once(server, 'exit');
    server.kill();
    await exit;
    expect(output).not.toContain(token);
    await drop();
    rmSync(directory, { recursive: true });
  });
});

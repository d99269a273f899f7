import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, onEachDatabase } from '../support/database/databases.ts';
import { runBuilt, runCli, runWarm, startOwnServer } from '../support/process/processes.ts';

const root = join(import.meta.dirname, '..', '..');

/** A service's directory as in the image, with plugins below it. */
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-plugins-'));
  cpSync(join(root, 'package.json'), join(directory, 'package.json'));
  for (const name of ['dist', 'node_modules']) {
    symlinkSync(join(root, name), join(directory, name));
  }
  mkdirSync(join(directory, 'plugins'));
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

function writePlugin(name: string, code: string): string {
  const path = join(directory, 'plugins', `${name}.js`);
  writeFileSync(path, code);
  return path;
}

const GREETINGS = `
import { Controller, Get, Module } from '@nestjs/common';
import { declareScope, definePlugin, operator, RequiresScope, UserGroups } from 'user-group-service';

class GreetingController {
  find() { return { success: 1, greeting: 'Hello' }; }
}
const find = Object.getOwnPropertyDescriptor(GreetingController.prototype, 'find');
Get()(GreetingController.prototype, 'find', find);
RequiresScope(declareScope('greetings:read'))(GreetingController.prototype, 'find', find);
Controller('api/v1/greetings')(GreetingController);
class GreetingModule {}
Module({ controllers: [GreetingController] })(GreetingModule);

export default definePlugin({
  name: 'greetings',
  compatibility: '^0.1.0',
  modules: [GreetingModule],
  scopes: ['greetings:read'],
  migrations: [class CreateGreetings1795100000002 {
    up(runner) { return runner.query('CREATE TABLE greetings_given (id bigint PRIMARY KEY)'); }
    down(runner) { return runner.query('DROP TABLE greetings_given'); }
  }],
  commands: [{
    name: 'greet',
    about: 'greet a group',
    define: (command, { withServices }) => command.argument('<group>').action((id) =>
      withServices(async (app) => {
        const { name } = await app.get(UserGroups).get(operator(1), id);
        console.log('Hello ' + name);
      })),
  }],
});
`;

onEachDatabase((kind) => {
  test('PLUGINS adds a route, a table and a command to the service as it is', async () => {
    const { env, drop } = await createTestDatabase(kind);
    const variables = { ...env, PLUGINS: writePlugin('greetings', GREETINGS) };
    const server = await startOwnServer(variables);
    expect(server.output()).toContain('"plugins":"greetings"');
    const answer = await server.api.send({ method: 'GET', path: '/api/v1/greetings' });
    expect(answer).toMatchObject({ status: 200, body: { greeting: 'Hello' } });
    const stranger = await server.apiOf('none').send({ method: 'GET', path: '/api/v1/greetings' });
    expect(stranger).toMatchObject({ status: 401, body: { success: 0 } });
    await server.api.put({ user_group_id: 'acme', name: 'Acme' });
    expect(await runCli(variables, 'greet', 'acme')).toMatchObject({
      code: 0,
      stdout: 'Hello Acme\n',
    });
    expect((await runCli(variables, '--help')).stdout).toMatch(/greet .*greet a group/);
    expect((await runCli(variables, 'token', 'create', '--help')).stdout).toContain(
      'greetings:read',
    );
    expect((await runCli(variables, 'config', 'check')).stdout).toContain('Plugins: greetings.');
    expect((await runCli(variables, 'migration', 'show')).stdout).toMatch(
      /greetings: CreateGreetings1795100000002 +yes/,
    );
    expect((await runCli(variables, 'openapi')).stdout).toContain('/api/v1/greetings');
    expect(await server.stop()).toBe(0);
    await drop();
  });
});

test('a plugin in a directory of its own finds the service that loads it, and not the copy beside it', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'user-groups-elsewhere-'));
  const copy = join(elsewhere, 'node_modules', 'user-group-service');
  mkdirSync(copy, { recursive: true });
  writeFileSync(
    join(copy, 'package.json'),
    '{"name":"user-group-service","type":"module","exports":"./index.js"}',
  );
  writeFileSync(join(copy, 'index.js'), 'throw new Error("the copy beside the plugin");');
  writeFileSync(join(elsewhere, 'package.json'), '{"name":"greetings","type":"module"}');
  writeFileSync(join(elsewhere, 'plugin.js'), GREETINGS);
  const { env, drop } = await createTestDatabase('sqlite');
  const server = await startOwnServer({ ...env, PLUGINS: join(elsewhere, 'plugin.js') });
  const answer = await server.api.call('GET', '/api/v1/greetings');
  expect(answer).toMatchObject({ status: 200, body: { greeting: 'Hello' } });
  expect(await server.stop()).toBe(0);
  await drop();
  rmSync(elsewhere, { recursive: true });
});

test('the example of protected groups has the last word on deletions', async () => {
  const { env, drop } = await createTestDatabase('sqlite');
  const plugin = join(directory, 'plugins', 'protected-groups.js');
  cpSync(join(root, 'examples', 'protected-groups', 'plugin.js'), plugin);
  const { api, stop } = await startOwnServer({ ...env, PLUGINS: plugin });
  const path = '/api/v1/user-groups/acme';
  const write = (properties: object) =>
    api.put({ user_group_id: 'acme', name: 'Acme', properties });
  await write({ protected: true });
  expect(await api.send({ method: 'DELETE', path })).toMatchObject({
    status: 409,
    body: {
      code: 'change_refused',
      detail: 'The group is protected; take its property away first.',
    },
  });
  const suspending = await api.send({ method: 'POST', path: `${path}/suspend`, body: {} });
  expect(suspending.status).toBe(409);
  expect((await write({ protected: true, seats: 3 })).status).toBe(200);
  await write({ protected: false });
  expect((await api.send({ method: 'DELETE', path })).status).toBe(200);
  expect(await stop()).toBe(0);
  await drop();
});

describe('what cannot be added ends the start with one line', () => {
  // A process loads a file once.
  let refused = 0;
  const starting = async (PLUGINS: string, script: 'main.js' | 'cli.js' = 'main.js') => {
    const { env, drop } = await createTestDatabase('sqlite');
    const { code, stderr } = await runWarm(script, { ...env, PLUGINS }, 'config', 'check');
    await drop();
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    return stderr;
  };
  const defined = (definition: string) =>
    `import { definePlugin } from 'user-group-service'; export default definePlugin(${definition});`;

  test.each([
    ['a file that is not there', undefined, /missing\.js, which cannot be loaded: Cannot find/],
    ['a module that fails', 'throw new Error("no\\nluck");', /cannot be loaded: no luck/],
    [
      'a module without a plugin',
      'export default {};',
      /default export is not made by definePlugin/,
    ],
    ['another version', defined('{ name: "old", compatibility: "^9.0.0" }'), /made for version/],
    [
      'another copy of the service',
      'export default { definition: { name: "copy" } };',
      /made by another copy of user-group-service/,
    ],
  ])('%s', async (_what, code, message) => {
    const path =
      code === undefined
        ? join(directory, 'missing.js')
        : writePlugin(`refused-${++refused}`, code);
    expect(await starting(path)).toMatch(message);
  });

  test('two plugins of one name', async () => {
    const code = defined('{ name: "twin", compatibility: "^0.1.0" }');
    const both = [writePlugin('one', code), writePlugin('two', code)].join(', ');
    expect(await starting(both)).toMatch('PLUGINS names two plugins that are called twin.');
  });

  test('two plugins that replace the same', async () => {
    const code = (name: string) => `
      import { definePlugin, KeyProvider } from 'user-group-service';
      const ports = [{ provide: KeyProvider, useValue: {} }];
      export default definePlugin({ name: '${name}', compatibility: '^0.1.0', ports });`;
    const both = ['key-one', 'key-two'].map((name) => writePlugin(name, code(name))).join(', ');
    const message =
      'The plugin key-one and the plugin key-two both replace KeyProvider; remove one.';
    expect(await starting(both, 'cli.js')).toMatch(message);
    expect(await starting(both)).toMatch(message);
  });

  test('a command that cannot be defined ends itself alone', async () => {
    const code = defined(`{
      name: 'odd', compatibility: '^0.1.0',
      commands: [{ name: 'odd', about: '', define: () => { throw 'no luck'; } }],
    }`);
    const { env, drop } = await createTestDatabase('sqlite');
    const variables = { ...env, PLUGINS: writePlugin('odd', code) };
    expect(await runCli(variables, 'odd')).toMatchObject({
      code: 1,
      stderr: 'user-group-service: the command odd of the plugin odd has failed: no luck.\n',
    });
    expect(await runCli(variables, 'config', 'check')).toMatchObject({ code: 0 });
    await drop();
  });

  test('a command that never ends ends with an error once nothing is left to do', async () => {
    const code = defined(`{
      name: 'idle', compatibility: '^0.1.0',
      commands: [{ name: 'idle', about: '', define: (command) => command.action(() => new Promise(() => {})) }],
    }`);
    const { env, drop } = await createTestDatabase('sqlite');
    const PLUGINS = writePlugin('idle', code);
    expect(await runBuilt('cli.js', { ...env, PLUGINS }, 'idle')).toMatchObject({
      code: 1,
      stderr: 'user-group-service: The command has stopped before its end.\n',
    });
    await drop();
  });

  test('a command that is there already', async () => {
    const code = defined(`{
      name: 'keys', compatibility: '^0.1.0',
      commands: [{ name: 'keys', about: '', define: () => undefined }],
    }`);
    expect(await starting(writePlugin('keys', code), 'cli.js')).toMatch(
      'The plugin keys cannot have the command keys: the feature key-administration has it already.',
    );
  });
});

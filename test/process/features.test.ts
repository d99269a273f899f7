import { readdirSync } from 'node:fs';
import { features } from '../../src/server/app/features.ts';
import { Metrics } from '../../src/platform/metrics/metrics.ts';
import { WebhookWorker } from '../../src/features/webhook/delivery/webhook-worker.ts';
import { signedIn } from '../support/console/console.ts';
import { testContract } from '../support/contract.ts';
import { createTestDatabase, onEachDatabase } from '../support/database/databases.ts';
import { handlersOf } from '../support/events/handlers.ts';
import { runCli, runWarm } from '../support/process/processes.ts';
import { startTestService, type TestService, withService } from '../support/test-service.ts';

const PUBLIC_URL = 'https://user-groups.example';

/** The controllers that `core` leaves out. */
const LEFT_OUT = [
  'TargetController',
  'UsageController',
  'RegisteredController',
  'WorkspaceSettingsController',
  'UserGroupBulkController',
  'UserGroupHistoryController',
  'UserGroupLimitsController',
  'PlanController',
  'RenameController',
  'BulkJobController',
  'EmbedSessionController',
  'ForwardAuthController',
  'InspectionController',
  'EndTokensController',
  'RevocationController',
  'EventController',
  'WebhookEndpointController',
  'WebhookDeliveryController',
  'OverviewController',
  'SystemController',
];

interface Document {
  paths: Record<string, unknown>;
  tags: { name: string }[];
  webhooks?: object;
  components: Record<string, Record<string, unknown>>;
}

test('every feature has a sentence, and needs features that exist', () => {
  const names = features.map(({ name }) => name);
  for (const { name, about, needs = [] } of features) {
    expect([name, about]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
    expect([name, needs.filter((one) => !names.includes(one))]).toEqual([name, []]);
  }
});

onEachDatabase((kind) => {
  const all = withService(kind);
  const core = withService(kind, { FEATURES: 'core', PUBLIC_URL });

  const documentOf = async (service: TestService) =>
    (await service.clientOf(undefined).call('GET', '/docs-json')).body as unknown as Document;
  const metricsOf = ({ app }: TestService) =>
    app
      .get(Metrics)
      .registry.getMetricsAsArray()
      .map(({ name }) => name);
  const controllersOf = ({ app }: TestService) =>
    new Set(handlersOf(app).map(({ controller }) => controller));

  describe('the core alone keeps the contract:', () => {
    testContract(core);
  });

  test('the core issues what a page and a renderer need, and says who did so', async () => {
    const { token } = await core.api.create({ user_group_id: 'acme' });
    expect((await core.api.call('POST', '/api/v1/introspect', { token })).body).toMatchObject({
      active: true,
    });
    const issued = await core.api.call('POST', '/api/v1/user-groups/acme/embed-tokens', {
      audience: 'dashboards',
    });
    expect(issued.status).toBe(201);
    for (const path of ['user-groups', 'api-tokens', 'audit-events', 'user-groups/acme/view']) {
      expect([path, (await core.api.call('GET', `/api/v1/${path}`)).status]).toEqual([path, 200]);
    }
  });

  test('the core has no route of another feature', async () => {
    const served = controllersOf(core);
    const missing = handlersOf(all.app).filter(({ controller }) => !served.has(controller));
    expect([...new Set(missing.map(({ controller }) => controller))].sort()).toEqual(
      [...LEFT_OUT].sort(),
    );
    for (const { method, path, controller } of missing) {
      const { status, body } = await core.api.call(method, path.replace(/:\w+/g, '1'));
      // Without the feature the last segment, such as `import`, is the id of a group.
      const codes = ['UserGroupBulkController', 'PlanController'].includes(controller)
        ? ['user_group_not_found', 'method_not_allowed']
        : ['route_not_found'];
      expect(codes).toContain(body.code);
      expect([method, path, status]).toEqual([
        method,
        path,
        body.code === 'method_not_allowed' ? 405 : 404,
      ]);
    }
  });

  test('the documents name nothing that is left out', async () => {
    const [whole, part] = [await documentOf(all), await documentOf(core)];
    const left = Object.keys(whole.paths).filter((path) => !(path in part.paths));
    expect(left).toEqual(
      expect.arrayContaining(['/api/v1/webhook-endpoints', '/api/v1/schemas', '/api/v1/events']),
    );
    expect(part.tags.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['Webhooks']));
    expect(part.tags.length).toBeLessThan(whole.tags.length);
    expect(part.webhooks).toBeUndefined();
    const text = JSON.stringify(part);
    for (const [, group, name] of text.matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)) {
      expect([group, name, part.components[group!]?.[name!] !== undefined]).toEqual([
        group,
        name,
        true,
      ]);
    }
    expect(text).not.toMatch(/schemas\/(Webhook|RegistryEntry|Event")/);
    const codesOf = ({ components }: Document) =>
      (components['schemas']!['Problem'] as { properties: { code: Record<string, string[]> } })
        .properties.code['x-extensible-enum']!;
    const gone = codesOf(whole).filter((code) => !codesOf(part).includes(code));
    expect(gone).toEqual(
      expect.arrayContaining(['target_not_found', 'target_value_missing', 'events_gone']),
    );
    for (const code of gone) expect(text).not.toContain(`"${code}"`);
    const { body: metadata } = await core.api.call(
      'GET',
      '/.well-known/oauth-authorization-server',
    );
    expect(metadata).toMatchObject({ issuer: PUBLIC_URL });
    expect(metadata).not.toHaveProperty('revocation_endpoint');
    const { properties } = part.components['schemas']!['AuthorizationServerMetadata'] as {
      properties: object;
    };
    expect(Object.keys(metadata).sort()).toEqual(Object.keys(properties).sort());
  });

  test('neither metrics nor work of a left-out feature is there', () => {
    const left = metricsOf(all).filter((name) => !metricsOf(core).includes(name));
    expect(left.sort()).toEqual([
      'event_stream_ends_total',
      'event_streams',
      'usage_batches_total',
      'usage_quota_events_total',
      'usage_refused_embed_tokens_total',
      'usage_views_total',
      'webhook_attempt_duration_seconds',
      'webhook_attempts_total',
      'webhook_endpoints_disabled_total',
      'webhook_endpoints_due',
      'webhook_endpoints_skipping_total',
      'webhook_lag_seconds',
      'webhook_overdue_seconds',
    ]);
    expect(all.app.get(WebhookWorker)).toBeDefined();
    expect(() => core.app.get(WebhookWorker)).toThrow();
  });

  test('the console learns what is served, and of no scope that would be of no use', async () => {
    const [, { session }] = await (await signedIn(core)).session();
    expect(session).toMatchObject({
      features: [
        'user-groups',
        'embed-tokens',
        'introspection',
        'api-tokens',
        'audit-events',
        'console',
      ],
      scopes: [
        'user-groups:read',
        'user-groups:write',
        'user-group-tokens:read',
        'tokens:rotate',
        'tokens:introspect',
        'embed-tokens:issue',
        'user-groups:view-as',
        'audit:read',
        'admin',
      ],
    });
  });

  test('names add to the core, in any case and order', async () => {
    const service = await startTestService(kind, { FEATURES: ' Webhooks, core ' });
    expect((await service.api.call('GET', '/api/v1/webhook-endpoints')).status).toBe(200);
    expect((await service.api.call('GET', '/api/v1/events')).status).toBe(404);
    const { webhooks, components } = await documentOf(service);
    expect(webhooks).toBeDefined();
    expect(components['schemas']).toHaveProperty('ChangedUserGroup');
    await service.close();
  });

  test('the contract is there whatever the list names', async () => {
    const service = await startTestService(kind, { FEATURES: 'events', CONSOLE: 'off' });
    expect((await service.api.put({ user_group_id: 'acme', name: 'Acme' })).status).toBe(200);
    expect((await service.api.call('POST', '/api/v1/introspect', { token: 'x' })).status).toBe(404);
    expect((await service.clientOf(undefined).call('GET', '/health/ready')).status).toBe(200);
    await service.close();
  });

  test('a feature is switched on and off without a migration', async () => {
    const database = await createTestDatabase(kind);
    for (const [FEATURES, status] of [
      ['core', 404],
      ['all', 200],
      ['core', 404],
    ] as const) {
      const service = await startTestService(database, { FEATURES });
      await service.api.put({ user_group_id: 'acme', name: FEATURES });
      expect((await service.api.call('GET', '/api/v1/webhook-endpoints')).status).toBe(status);
      await service.close();
    }
    const shown = await runCli({ ...database.env, FEATURES: 'core' }, 'migration', 'show');
    expect(shown).toMatchObject({ code: 0, stdout: expect.not.stringContaining('pending') });
    await database.drop();
  });

  test('a command of a left-out feature says so, and others work', async () => {
    const env = { ...core.database.env, FEATURES: 'core' };
    for (const [command, feature, ...args] of [
      ['webhook', 'webhooks', 'list'],
      ['schema', 'registry', 'list'],
      ['target', 'targets', 'list'],
      ['events', 'events'],
      ['inspect', 'inspection'],
    ] as const) {
      expect(await runCli(env, command, ...args)).toEqual({
        code: 1,
        stdout: '',
        stderr: `user-group-service: The command ${command} belongs to the feature ${feature}, which FEATURES leaves out.\n`,
      });
    }
    const ending = await runCli(
      env,
      'workspace',
      'end-tokens',
      '--kinds',
      'embed_token',
      '--reason',
      'leaked',
    );
    expect(ending).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('end-tokens belongs to the feature'),
    });
    const listed = async (...args: string[]) =>
      [...(await runCli(env, ...args, '--help')).stdout.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(
        ([, name]) => name,
      );
    expect(await listed()).toEqual([
      'group',
      'introspect',
      'workspace',
      'token',
      'audit',
      'keys',
      'migration',
      'migrate-data',
      'config',
      'openapi',
      'help',
    ]);
    expect(await listed('group')).not.toEqual(expect.arrayContaining(['import']));
    expect(await listed('group')).toEqual(expect.arrayContaining(['list', 'view']));
    expect(await listed('workspace')).not.toEqual(expect.arrayContaining(['end-tokens']));
    const help = (FEATURES: string) => runCli({ ...env, FEATURES }, '--help');
    expect((await help(' Webhooks,, core ')).stdout).toMatch(/^ {2}webhook /m);
    expect(await help(' , ')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'user-group-service: FEATURES must have a name at least.\n',
    });
    for (const args of [
      ['token', 'list'],
      ['group', 'list'],
      ['audit', 'list'],
      ['workspace', 'show'],
      ['config', 'check'],
    ]) {
      expect([args, await runCli(env, ...args)]).toMatchObject([args, { code: 0, stderr: '' }]);
    }
    const { stdout } = await runCli(env, 'openapi');
    expect(Object.keys((JSON.parse(stdout) as Document).paths)).toEqual(
      Object.keys((await documentOf(core)).paths),
    );
  });

  test('a name that is no feature stops the start before anything is made', async () => {
    const { env, drop } = await createTestDatabase(kind);
    const given = { ...env, PORT: '0', METRICS_PORT: '0', FEATURES: 'core,webhook' };
    const line =
      'user-group-service: FEATURES names webhook, which is no feature; they are all, core, bulk,';
    expect(await runWarm('main.js', given)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(line),
    });
    expect(await runCli(given, 'config', 'check')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(line),
    });
    if (kind === 'sqlite') expect(readdirSync(env['DATA_DIR']!)).toEqual([]);
    await drop();
  });

  test('a feature that needs another one stops the start, and names both', async () => {
    const start = startTestService(kind, { FEATURES: 'webhooks,api-tokens' });
    await expect(start).rejects.toThrow(
      'The feature console needs the feature introspection, which FEATURES leaves out: add introspection, or switch console off.',
    );
  });
});

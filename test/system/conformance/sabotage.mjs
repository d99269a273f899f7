import Database from 'better-sqlite3';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';
import { temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { AUDIENCE, idsOf, ORIGIN, runKit, startRenderer } from './kit.mjs';

const RENDERER = fileURLToPath(new URL('sabotaged-renderer.mjs', import.meta.url));

const ROWS = [
  ['one', 'EMEA', 'Tents'],
  ['one', 'EMEA', 'Stoves'],
  ['two', 'APAC', 'Sensors'],
  ['two', 'APAC', 'Cables'],
  // Last in the alphabet, and so the first row of a query without its filter.
  ['one', 'hidden', 'Zz canary'],
  ['two', 'hidden', 'Zz canary'],
];

const ALL_ENDS = [
  'token-rotated',
  'token-revoked',
  'group-suspended',
  'group-deleted',
  'group-expired',
  'token-overlap',
];

/** Each fault of the renderer, and exactly the checks that fail, or cannot be judged. */
export const SABOTAGES = {
  'first-away': { fails: [] },
  'empty-embeds': {
    fails: [],
    unjudged: [
      'embed-audience',
      'embed-origin',
      'embed-issuer',
      'embed-workspace',
      'embed-tenant',
      'embed-signature',
      'embed-algorithm',
      'embed-kid',
      'embed-expired',
      'embed-ended',
      'embed-act',
      'embed-resources',
      'embed-variables',
    ],
  },
  'cache-without-tenant': {
    fails: ['tenant-order', 'tenant-interleavings', 'tenant-conditional'],
    only: 'tenant-*',
  },
  'shares-results': { fails: ['tenant-interleavings'], jobs: 1 },
  etag: { fails: ['tenant-conditional'] },
  'keeps-mapping': { fails: ['mapping-change'] },
  'default-source': { fails: ['mapping-missing'] },
  'fallback-source': { fails: ['mapping-unknown'] },
  'loose-source': { fails: ['mapping-unknown'] },
  'two-workspaces': { fails: ['workspace-other'] },
  guest: { fails: ['token-unknown'] },
  'own-token': { fails: ['token-api-token'] },
  keeps: {
    fails: [
      'mapping-change',
      ...ALL_ENDS,
      'embed-expired',
      'embed-ended',
      'introspection-down',
      'introspection-slow',
      'introspection-error',
      'introspection-limited',
      'introspection-garbage',
      'introspection-active',
    ],
  },
  'keeps-what-ends': { fails: ['token-overlap', 'group-expired'] },
  'keeps-when-away': {
    fails: [
      'introspection-down',
      'introspection-slow',
      'introspection-error',
      'introspection-limited',
      'introspection-garbage',
    ],
  },
  'keeps-on-status': { fails: ['introspection-error', 'introspection-limited'] },
  'keeps-on-page': { fails: ['introspection-error'] },
  waits: { fails: ['introspection-slow'] },
  'yes-on-error': { fails: ['introspection-error'] },
  'limit-is-a-no': { fails: ['introspection-limited'] },
  'reads-garbage': { fails: ['introspection-garbage'] },
  'active-missing': { fails: ['introspection-active'] },
  'looks-at-sub': { fails: ['introspection-active'] },
  'filter-optional': { fails: ['variable-missing'] },
  'empty-is-missing': { fails: ['variable-empty'] },
  'any-type': { fails: ['variable-type'] },
  'number-as-text': { fails: ['variable-type'] },
  like: { fails: ['variable-hostile'] },
  concatenates: { fails: ['variable-hostile', 'sql-text'] },
  'concatenates,tells-errors': { fails: ['variable-hostile', 'error-text', 'sql-text'] },
  writes: { fails: ['variable-writes'] },
  'any-audience': { fails: ['embed-audience'] },
  'any-origin': { fails: ['embed-origin'] },
  'any-resource': { fails: ['embed-resources'] },
  'group-alone': { fails: ['embed-variables'] },
  'hides-act': { fails: ['embed-act'] },
  'believes-headers': { fails: ['gateway-headers'] },
  'decodes-only': {
    fails: [
      'embed-audience',
      'embed-origin',
      'embed-issuer',
      'embed-workspace',
      'embed-tenant',
      'embed-signature',
      'embed-algorithm',
      'embed-kid',
      'embed-expired',
      'embed-ended',
    ],
  },
  'failed-query-keeps': { fails: ['tenant-failed-query'], only: 'tenant-*' },
  'cursor-of-anybody': { fails: ['tenant-cursor'] },
  'link-of-anybody': { fails: ['tenant-download'] },
  'link-alone': { fails: ['tenant-download'] },
  'link-outlives': { fails: ['tenant-download'] },
  'etag-first': { fails: ['tenant-conditional'] },
  'stream-outlives': { fails: ['stream-ended'] },
  'stream-outlives,on-socket': { fails: ['stream-ended'], isSocket: true },
  'stream-forgets-time': { fails: ['stream-ended'], only: 'stream-ended' },
  'stream-mixes': { fails: ['stream-tenant'], only: 'stream-tenant' },
  'on-socket': { fails: [], isSocket: true },
  'tells-filters': { fails: [], warned: ['trace-variables'] },
  'any-issuer': { fails: ['embed-issuer'], isOffline: true },
  'any-workspace': { fails: ['embed-workspace'], isOffline: true },
  'any-algorithm': { fails: ['embed-algorithm'], isOffline: true },
  'any-key': { fails: ['embed-kid'], isOffline: true },
  'any-time': { fails: ['embed-expired'], isOffline: true },
  cacheable: { fails: ['trace-caching'] },
  referrer: { fails: ['trace-referrer'] },
  echoes: { fails: ['trace-echo'] },
  logs: { fails: ['trace-logs'] },
  'token-in-address': { fails: ['trace-urls'] },
};

/**
 * Runs the kit against a renderer with these faults.
 * @returns figures @throws Violated unless exactly the named checks fail
 */
export async function runSabotaged(
  service,
  faults,
  { fails, unjudged = [], warned = [], jobs, only, isOffline = false, isSocket = false },
  own = {},
) {
  const offline = isOffline && {
    OFFLINE: '1',
    ISSUER: service.identity.issuer,
    WORKSPACE_ID: service.identity.id,
  };
  const renderer = await startRenderer(
    service,
    rendererWith({ FAULTS: faults, OTHER_API_TOKEN: service.otherIntrospectionToken, ...offline }),
  );
  try {
    const args = [...(jobs ? ['--jobs', String(jobs)] : []), ...(only ? ['--only', only] : [])];
    const began = Date.now();
    const { code, outcomes, stdout, stderr } = await runKit(
      withStream(configOf(service, renderer, isOffline, own), isSocket),
      args,
      {
        OTHER_API_TOKEN: service.otherToken,
      },
    );
    const seen = ['failed', 'unjudged', 'warned'].map((outcome) =>
      idsOf(outcomes, outcome).toSorted().join(' '),
    );
    const expected = [fails, unjudged, warned].map((ids) => ids.toSorted().join(' '));
    if (
      seen.join('; ') !== expected.join('; ') ||
      code !== (fails.length + unjudged.length > 0 ? 1 : 0)
    ) {
      throw new Violated([
        `exit code ${code}; failed; not judged; warned: ${seen.join('; ')}; expected: ${expected.join('; ')}`,
        stderr.slice(-500),
        stdout,
      ]);
    }
    const skipped = idsOf(outcomes, 'skipped');
    const passed = idsOf(outcomes, 'passed').length;
    return `${passed} passed, failed: ${seen[0] || 'none'}, not judged: ${seen[1] || 'none'}, warned: ${seen[2] || 'none'}, skipped: ${skipped.join(' ') || 'none'}, ${Math.round((Date.now() - began) / 1000)} s`;
  } finally {
    await renderer.stop();
  }
}

/** The configuration with a WebSocket in place of the event stream. */
function withStream(config, isSocket) {
  if (!isSocket) return config;
  const url = config.renderer.url.replace('http', 'ws');
  const stream = { url, send: [{ token: '{token}' }], ask: {}, every_seconds: 1 };
  return { ...config, renderer: { ...config.renderer, stream } };
}

/** The command of the sabotaged renderer, for `startRenderer`. */
export function rendererWith(settings) {
  return ({ port, serviceUrl, apiToken }) => ({
    program: process.execPath,
    args: [RENDERER],
    env: {
      SERVICE_URL: serviceUrl,
      API_TOKEN: apiToken,
      DATABASE: makeRows(),
      PORT: String(port),
      ...settings,
    },
  });
}

/** A database with the rows of two tenants, and rows that nobody may see. */
export function makeRows() {
  const file = join(temporaryDirectory(), 'rows.sqlite');
  const database = new Database(file);
  database.exec(
    'CREATE TABLE sale (source TEXT NOT NULL, region TEXT NOT NULL, product TEXT NOT NULL)',
  );
  const insert = database.prepare('INSERT INTO sale VALUES (?, ?, ?)');
  for (const row of ROWS) insert.run(...row);
  database.close();
  return file;
}

export function configOf(service, renderer, isOffline, own = {}) {
  return {
    service: {
      url: service.url,
      api_token_env: 'KIT_API_TOKEN',
      other_workspace_api_token_env: 'OTHER_API_TOKEN',
      ...own,
    },
    proxy: renderer.proxy,
    renderer: {
      url: `${renderer.url}/query`,
      body: { token: '{token}' },
      page: `${renderer.url}/?userGroupToken={token}`,
      logs: [renderer.log],
      gives_up_seconds: 12,
      failing: { url: `${renderer.url}/query`, body: { token: '{token}', order: 'nothing' } },
      cursor: {
        field: 'next',
        request: { url: `${renderer.url}/query`, body: { token: '{token}', cursor: '{handle}' } },
        shows: ['Stoves'],
      },
      download: {
        field: 'links.csv',
        request: { url: '{handle}', headers: { Authorization: 'Bearer {token}' } },
        shows: ['Tents', 'Stoves'],
      },
      stream: {
        url: `${renderer.url}/events`,
        headers: { Authorization: 'Bearer {token}' },
        every_seconds: 1,
      },
    },
    schema: 'sales',
    tenants: [
      {
        data_source: 'one',
        properties: { region: 'EMEA', max_rows: 20 },
        shows: ['Tents', 'Stoves'],
      },
      {
        data_source: 'two',
        properties: { region: 'APAC', max_rows: 20 },
        shows: ['Sensors', 'Cables'],
      },
    ],
    variables: { region: 'string', max_rows: 'integer' },
    never_shows: ['Zz canary'],
    tables: ['sale'],
    embed: {
      audience: AUDIENCE,
      origin: ORIGIN,
      verified: isOffline ? 'offline' : 'introspection',
      resource: { type: 'dashboard', id: 'sales' },
      viewer: { variables: { product: 'Tents' }, shows: ['Tents'] },
    },
    gateway: { headers: { 'X-Source': 'two', 'X-Region': 'APAC' } },
    sql: { header: 'X-SQL' },
  };
}

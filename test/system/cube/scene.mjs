import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { URL } from 'node:url';
import { startRenderer } from '../conformance/kit.mjs';
import { installInto } from '../lab/npm-tools.mjs';
import { temporaryDirectory } from '../lab/processes.mjs';
import { settingsOf } from '../renderers/settings.mjs';
import { OWN } from './installed.mjs';

/** The rows of docs/guides/cube.md. */
export const HIDDEN = 'Prototypes';
export const TENANTS = {
  acme: { source: 'warehouse-acme', region: 'EMEA', shows: 'Tents' },
  globex: { source: 'warehouse-globex', region: 'APAC', shows: 'Sensors' },
};
export const PRODUCTS = { dimensions: ['sale.product'], order: { 'sale.product': 'asc' } };

/** The configuration of the page, with some of its texts replaced, and code behind it. */
export function configuration(own = {}, behind = '') {
  return `${settingsOf('cube.configuration', own)}\n${behind}\n`;
}

/** The environment of Cube, and of the commands of the page. */
export function environmentOf({ cluster, cube }) {
  return {
    PATH: [cube.bin, process.env.PATH].join(delimiter),
    HOME: temporaryDirectory(),
    PGHOST: '127.0.0.1',
    PGPORT: String(cluster.port),
    PGUSER: 'postgres',
    CUBEJS_TELEMETRY: 'false',
    ...cube.env,
  };
}

/** A directory with the files of the page, and with all that its commands install. */
function makeProject({ cube }, code = configuration()) {
  const project = temporaryDirectory();
  mkdirSync(join(project, 'model'));
  writeFileSync(join(project, 'model', 'sale.js'), settingsOf('cube.model', {}));
  writeFileSync(join(project, 'cube.js'), code);
  installInto(project, cube, OWN);
  return project;
}

/** Starts Cube as the page does, behind a proxy of the kit or not. @returns that of `startRenderer` */
export async function startCube(lab, code, { isBehindProxy = false, env = {} } = {}) {
  const cwd = makeProject(lab, code);
  const started = await startRenderer(lab.service, ({ port, serviceUrl, apiToken }) => ({
    program: join(cwd, 'node_modules', '.bin', 'cubejs-server'),
    args: [],
    cwd,
    env: {
      ...environmentOf(lab),
      USER_GROUPS_URL: isBehindProxy ? serviceUrl : lab.service.url,
      CUBE_API_TOKEN: apiToken,
      CUBEJS_API_SECRET: 'not-used',
      CUBEJS_CACHE_AND_QUEUE_DRIVER: 'memory',
      CUBEJS_WEB_SOCKETS: 'true',
      PORT: String(port),
      ...env,
    },
  }));
  return { ...started, port: Number(new URL(started.url).port) };
}

/** Sends JSON to Cube. @returns the status, the headers and the text of the response */
export async function ask(url, token, body, path = '/cubejs-api/v1/load') {
  const headers = {
    'Content-Type': 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  const method = body === undefined ? 'GET' : 'POST';
  const outgoing = request(new URL(path, url), { method, headers });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  const seen = await text(response);
  return { status: response.statusCode, headers: response.headers, seen };
}

/** Creates a group of a tenant of the page. @returns its token */
export async function createGroup({ service }, id, tenant, properties = {}) {
  const { source, region } = TENANTS[tenant];
  const group = { user_group_id: id, name: id, mapping: { sales: source } };
  const all = { region, min_amount: 100, ...properties };
  const { body } = await service.api.send('PUT', { ...group, properties: all });
  return body.user_group.token;
}

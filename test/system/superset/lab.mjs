import { Buffer } from 'node:buffer';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, URL, URLSearchParams } from 'node:url';
import { startService } from '../conformance/kit.mjs';
import { exchange } from '../gateways/applications.mjs';
import { Cluster } from '../lab/cluster.mjs';
import { postgresPrograms } from '../lab/packages.mjs';
import { freePort } from '../lab/ports.mjs';
import { signal, temporaryDirectory } from '../lab/processes.mjs';
import { API_TOKEN } from '../lab/server.mjs';
import { Page } from './page.mjs';

const ROOT = new URL('../../../', import.meta.url);
const SIGNED_IN = fileURLToPath(new URL('signed_in_download.py', import.meta.url));
const CONSTRAINTS = fileURLToPath(new URL('constraints.txt', import.meta.url));
const STEP_MS = 50;
const END_LIMIT_MS = 20_000;

export const AUDIENCE = 'superset';
/** The rows that a group of this region and data source sees, and those that none may see. */
export const TENANTS = {
  acme: { source: 'warehouse-acme', region: 'EMEA', shows: 'Tents' },
  globex: { source: 'warehouse-globex', region: 'APAC', shows: 'Sensors' },
};
/** A region that both data sources have, with a row of its own in each. */
export const SHARED = { region: 'LATAM', acme: 'Stoves', globex: 'Cables' };
export const HIDDEN = 'Canary';

/** The chart of the dashboard as its page requests it. */
export const CHART = {
  datasource: { id: 1, type: 'table' },
  queries: [{ columns: ['product', 'amount'], row_limit: 100, filters: [], extras: {} }],
  form_data: { slice_id: 1, dashboardId: 1, viz_type: 'table' },
  result_format: 'json',
  result_type: 'full',
};

function csvOf(more) {
  return { ...CHART, form_data: { ...CHART.form_data, ...more }, result_format: 'csv' };
}

/** A service, a PostgreSQL, and a Superset that is made and started as the page says. */
export class Lab {
  /** Every token of a viewer. None may be in a log. */
  tokens = new Set();
  #superset;

  constructor(cluster, service, page, ports) {
    this.cluster = cluster;
    this.service = service;
    this.page = page;
    this.port = ports.superset;
    this.hostPort = ports.host;
    this.site = `http://127.0.0.1:${ports.host}`;
    this.log = join(page.directory, 'superset.log');
  }

  static async create() {
    const cluster = await Cluster.create();
    const service = await startService();
    const directory = temporaryDirectory();
    const ports = { superset: await freePort(), host: await freePort() };
    const checkout = join(directory, 'checkout');
    // pip writes into the sources that it installs.
    for (const name of ['clients/python', 'examples/superset']) {
      cpSync(new URL(name, ROOT), join(checkout, name), { recursive: true });
    }
    const env = {
      PATH: `${postgresPrograms()}:${process.env.PATH}`,
      PGHOST: '127.0.0.1',
      PGPORT: String(cluster.port),
      PGUSER: 'postgres',
      USER_GROUPS_URL: service.url,
      USER_GROUPS_TOKEN: API_TOKEN,
      CHECKOUT: checkout,
      PIP_CONSTRAINT: CONSTRAINTS,
      PIP_DISABLE_PIP_VERSION_CHECK: '1',
    };
    const own = { 8088: String(ports.superset), 8080: String(ports.host) };
    return new Lab(cluster, service, new Page(directory, env, own), ports);
  }

  /** Installs Superset, into SUPERSET_TOOLS if it is set. @throws Error if that cannot be done */
  async install() {
    const tools = process.env.SUPERSET_TOOLS;
    if (!tools) {
      await this.page.run('superset, install');
      return;
    }
    const place = join(tools, 'superset');
    const [create, ...rest] = this.page.step('superset, install').split('\n');
    if (!existsSync(join(place, 'bin', 'pip'))) {
      await this.page.sh(create.replace(/superset$/, () => place));
    }
    symlinkSync(place, join(this.page.directory, 'superset'));
    await this.page.sh(rest.join('\n'));
  }

  /**
   * Starts Superset, in place of one that runs.
   * @param withUserGroups whether the service decides who is viewing
   * @param more the end of the configuration
   */
  async start(withUserGroups, more = '') {
    await this.stop();
    const steps = [
      'superset_config.py',
      ...(withUserGroups ? ['superset_config.py, user groups'] : []),
    ];
    this.page.write('superset_config.py', steps, more);
    this.#superset = this.page.background('superset, start', 'superset.log');
    for (;;) {
      const health = await exchange(this.port, 'GET', '/health').catch(() => undefined);
      if (health?.status === 200) return;
      if (this.#superset.exitCode !== null) {
        throw new Error(`Superset does not start: ${this.#superset.said}`);
      }
      await sleep(STEP_MS);
    }
  }

  async stop() {
    const child = this.#superset;
    if (!child) return;
    child.kill('SIGTERM');
    const isOver = await Promise.race([
      child.ended.then(() => true),
      sleep(END_LIMIT_MS, false, { ref: false }),
    ]);
    // Its workers are in its group.
    if (!isOver) signal(-child.pid, 'SIGKILL');
    await child.ended;
    this.#superset = undefined;
  }

  /** Calls the service. @throws Error with the response of a call that fails */
  async call(method, path, body = {}) {
    const { status, body: told } = await this.service.api.send(method, body, path);
    if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(told)}`);
    return told;
  }

  /** Writes a group. @returns its token */
  async group(id, source, properties) {
    const mapping = source === undefined ? {} : { sales: source };
    const group = { user_group_id: id, name: id, mapping, properties };
    const { user_group } = await this.call('PUT', '/api/user', group);
    return this.keep(user_group.token);
  }

  /** Issues an embed token for the page of the dashboard, or for another one. */
  async embedToken(id, more = {}) {
    const body = { audience: AUDIENCE, origin: this.site, ...more };
    const path = `/api/v1/user-groups/${id}/embed-tokens`;
    const { embed_token } = await this.call('POST', path, body);
    return this.keep(embed_token.token);
  }

  keep(token) {
    this.tokens.add(token);
    return token;
  }

  /** Requests the chart as a viewer. @returns the status, the products, whether they are from the cache, and the text */
  async chart(token, change = (chart) => chart) {
    const body = JSON.stringify(change(JSON.parse(JSON.stringify(CHART))));
    const headers = { 'Content-Type': 'application/json' };
    if (token !== undefined) headers['X-GuestToken'] = token;
    const { status, seen } = await this.send('POST', '/api/v1/chart/data', headers, body);
    if (status !== 200) return { status, products: [], seen };
    const [{ data = [], is_cached }] = JSON.parse(seen).result;
    return { status, products: data.map(({ product }) => product), isCached: is_cached, seen };
  }

  /**
   * Downloads the rows of the chart with a form, as pages of Superset do.
   * @param more members of the form data; if `row_limit` is large, Superset queries the rows after the request
   */
  download(token, more = {}) {
    const form = new URLSearchParams({
      form_data: JSON.stringify(csvOf(more)),
      guest_token: token,
    });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    return this.send('POST', '/api/v1/chart/data', headers, form.toString());
  }

  /** Does the same in the session of a user of Superset. @returns the status and the rows, as text */
  async downloadSignedIn(token, more) {
    const script = `superset/bin/python "${SIGNED_IN}" "$SUPERSET_URL" "$FORM_DATA"`;
    this.page.env.SUPERSET_URL = `http://127.0.0.1:${this.port}`;
    this.page.env.FORM_DATA = JSON.stringify(csvOf(more));
    this.page.env.GUEST_TOKEN = token;
    return (await this.page.sh(script)).stdout;
  }

  send(method, path, headers = {}, body = '') {
    const length = body === '' ? {} : { 'Content-Length': Buffer.byteLength(body) };
    return exchange(this.port, method, path, { ...headers, ...length }, body);
  }

  /** Reads the log of Superset, and its database, which has a table of events. */
  written() {
    const files = ['superset.log', 'superset.db'].map((name) => join(this.page.directory, name));
    return files.map((file) => readFileSync(file, 'latin1')).join('\n');
  }
}

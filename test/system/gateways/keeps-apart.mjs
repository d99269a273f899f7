import { Api } from '../lab/api.mjs';
import { freePort } from '../lab/ports.mjs';
import { temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { API_TOKEN, startServer } from '../lab/server.mjs';
import { untilItAccepts } from '../renderers/protects.mjs';
import { HIDDEN, TENANTS } from './applications.mjs';

const ORIGIN = 'https://app.example.com';
const AUDIENCE = 'dashboards';

/** The headers that a viewer of the first group forges, to see the rows of the second. */
const FORGED = {
  'X-User-Group': 'globex',
  'X-User-Group-Number': '2',
  'X-User-Group-Data-Source': TENANTS.globex.source,
  'X-Region': TENANTS.globex.region,
};

/** Spellings of a name that some server reads as that name. */
const SPELLINGS = {
  'as it is': (name) => name,
  'small letters': (name) => name.toLowerCase(),
  'capital letters': (name) => name.toUpperCase(),
  underscores: (name) => name.replaceAll('-', '_'),
  'underscores and small letters': (name) => name.replaceAll('-', '_').toLowerCase(),
  'one underscore': (name) => name.replace('-', '_'),
  'the last an underscore': (name) => name.replace(/-(?=[^-]*$)/, '_'),
  dots: (name) => name.replaceAll('-', '.'),
  'a tilde': (name) => name.replace('-', '~'),
};

/** Requests of a viewer who forges headers, by what they are. */
export function* forgeries() {
  for (const [spelling, spell] of Object.entries(SPELLINGS)) {
    const all = Object.entries(FORGED).map(([name, value]) => [spell(name), value]);
    yield [`all headers, ${spelling}`, Object.fromEntries(all)];
    for (const [name, value] of all) yield [`${name}, ${spelling}`, { [name]: value }];
  }
  const twice = Object.entries(FORGED).map(([name, value]) => [name, [value, value]]);
  yield ['all headers twice', Object.fromEntries(twice)];
  const names = Object.keys(FORGED).join(', ');
  yield ['all headers, named by Connection', { ...FORGED, Connection: `Upgrade, ${names}` }];
  yield ['the settings of the gateway', { 'X-Gateway-Settings': `audience=${AUDIENCE}` }];
  yield ['the token of the gateway', { 'X-Gateway-Authorization': `Bearer ${API_TOKEN}` }];
}

/**
 * Puts a gateway before an application, and looks what viewers of two groups see.
 * @param startGateway starts a gateway on `port` that asks `service`; gives its process, and what ends open connections
 * @param look opens the application with headers
 * @param hasSockets whether it is seen through an open connection
 * @returns figures @throws Violated
 */
export async function keepsApart(startGateway, look, hasSockets) {
  const [servicePort, port] = [await freePort(), await freePort()];
  const service = `http://127.0.0.1:${servicePort}`;
  await startServer({ dir: temporaryDirectory(), env: { PORT: String(servicePort) } });
  const api = new Api(`${service}/api/user`);
  try {
    const { child, endConnections } = await startGateway({ port, service });
    await untilItAccepts(child, port);
    const scene = await Scene.of(api, (headers) => look(port, headers));
    await scene.show();
    const forged = await scene.forge();
    await scene.refuse();
    const open = hasSockets ? await scene.outlive(endConnections) : [];
    await scene.end();
    if (scene.violations.length > 0) throw new Violated(scene.violations);
    return [`${forged} forgeries, no foreign row`, ...open].join('; ');
  } finally {
    api.close();
  }
}

/** Two groups with a token each, and how the application is looked at. */
class Scene {
  violations = [];

  constructor(api, look, tokens) {
    this.api = api;
    this.look = look;
    this.tokens = tokens;
  }

  static async of(api, look) {
    const tokens = {};
    for (const [id, { source, region }] of Object.entries(TENANTS)) {
      const group = { user_group_id: id, name: id, mapping: { sales: source } };
      const { body } = await api.send('PUT', { ...group, properties: { region } });
      tokens[id] = body.user_group.token;
    }
    return new Scene(api, look, tokens);
  }

  /** Expects that the viewer is shown the rows of the group alone, or nothing where `mayBeRefused`. */
  async shows(what, id, headers, mayBeRefused = false) {
    const { status, seen, close } = await this.look(headers);
    close?.();
    this.#seesOwn(what, id, seen);
    const isShown = status < 400 && seen.includes(TENANTS[id].shows);
    if (!isShown && !(mayBeRefused && status >= 400)) {
      this.violations.push(`${what}: ${status} without the rows of ${id}: ${seen.slice(0, 200)}`);
    }
    return status;
  }

  async refuses(what, status, headers) {
    const found = await this.look(headers);
    found.close?.();
    if (found.status !== status) this.violations.push(`${what}: ${found.status}, not ${status}`);
  }

  #seesOwn(what, id, seen) {
    const others = Object.entries(TENANTS).filter(([other]) => other !== id);
    const foreign = [HIDDEN, ...others.map(([, { shows }]) => shows)];
    const found = foreign.filter((text) => seen.includes(text));
    if (found.length > 0) this.violations.push(`${what}: ${id} sees ${found.join(', ')}`);
  }

  async show() {
    for (const id of Object.keys(TENANTS)) await this.shows(id, id, bearer(this.tokens[id]));
    const embed = await this.#embedToken(AUDIENCE);
    await this.shows('an embed token', 'acme', bearer(embed));
    await this.shows('a cookie', 'acme', { Cookie: `a=b; __Host-group=${embed}` });
  }

  /** @returns the number of forgeries */
  async forge() {
    const all = [...forgeries()];
    for (const [what, headers] of all) {
      await this.shows(what, 'acme', { ...bearer(this.tokens.acme), ...headers }, true);
    }
    return all.length;
  }

  async refuse() {
    await this.refuses('no token', 401, FORGED);
    await this.refuses('an unknown token', 401, bearer(`ugt_${'0'.repeat(38)}`));
    await this.refuses('another audience', 403, bearer(await this.#embedToken('others')));
  }

  /** A connection outlives a suspension, and no command of the page. @returns what was seen of it */
  async outlive(endConnections) {
    const open = await this.look(bearer(this.tokens.globex));
    await this.#suspend('globex', true);
    this.#seesOwn('an open connection', 'globex', await open.again());
    await this.refuses('a new connection of a suspended group', 401, bearer(this.tokens.globex));
    await endConnections();
    await open.ended;
    await this.refuses('a connection after that', 401, bearer(this.tokens.globex));
    await this.#suspend('globex', false);
    await this.shows('a group that has been resumed', 'globex', bearer(this.tokens.globex));
    return ['an open WebSocket outlived a suspension until the gateway ended it'];
  }

  /** The next request of a token that has ended is refused. */
  async end() {
    const old = this.tokens.acme;
    const { body } = await this.api.send('POST', { current_token: old });
    await this.refuses('a rotated token', 401, bearer(old));
    await this.shows('the next token', 'acme', bearer(body.user_group.token));
    await this.#suspend('globex', true);
    await this.refuses('a suspended group', 401, bearer(this.tokens.globex));
  }

  #suspend(id, isSuspended) {
    const verb = isSuspended ? 'suspend' : 'resume';
    return this.api.send('POST', {}, `/api/v1/user-groups/${id}/${verb}`);
  }

  async #embedToken(audience) {
    const path = '/api/v1/user-groups/acme/embed-tokens';
    const { body } = await this.api.send('POST', { audience, origin: ORIGIN }, path);
    return body.embed_token.token;
  }
}

function bearer(token) {
  return { Authorization: `Bearer ${token}` };
}

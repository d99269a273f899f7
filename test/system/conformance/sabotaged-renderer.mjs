import Database from 'better-sqlite3';
import { Buffer } from 'node:buffer';
import console from 'node:console';
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { URL } from 'node:url';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';

/* global fetch, AbortSignal */

// A small renderer that is right, and wrong in one way for each name in FAULTS.
//
//   SERVICE_URL=… API_TOKEN=… DATABASE=rows.sqlite PORT=4000 [FAULTS=like,…] [OFFLINE=1 ISSUER=… WORKSPACE_ID=…] node sabotaged-renderer.mjs

const { SERVICE_URL, API_TOKEN, OTHER_API_TOKEN, DATABASE, PORT, ISSUER, WORKSPACE_ID, OFFLINE } =
  process.env;
// Longer than a busy machine holds up the service, and shorter than the kit waits.
const PATIENT_MS = 6000;
/** Rows are delivered as often on a connection that stays open. */
const DELIVER_MS = 150;
const GREETING = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const AUDIENCE = 'dashboards';
const ORIGIN = 'https://app.example.com';
const faults = new Set((process.env.FAULTS ?? '').split(',').filter(Boolean));
const has = (name) => faults.has(name);

const database = new Database(DATABASE, { readonly: !has('writes') });
const KEY_SET = `/workspaces/${WORKSPACE_ID}/.well-known/jwks.json`;
const keys = createRemoteJWKSet(new URL(KEY_SET, SERVICE_URL));
const kept = new Map();
const mappings = new Map();
const pending = new Map();
const calls = new Map();
/** Cursors and files, by the texts that responses hand out. */
const handed = new Map();
/** Connections to the database, with the values of the last query that has failed, which a right renderer forgets. */
const connections = [{}, {}, {}];
let used = 0;
let firstStream;
let firstResult;

class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function call(method, path, body, apiToken = API_TOKEN) {
  const query = has('token-in-address') && body ? `?token=${body.token}` : '';
  const response = await fetch(SERVICE_URL + path + query, {
    method,
    headers: { Authorization: `Token ${apiToken}`, 'Content-Type': 'application/json' },
    signal: has('waits') ? undefined : AbortSignal.timeout(PATIENT_MS),
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status === 429 && has('limit-is-a-no')) return { active: false, isKept: true };
  if (!response.ok && has('keeps-on-status') && mappings.has(body?.token)) {
    return mappings.get(body.token);
  }
  if (response.status === 503 && has('keeps-on-page') && mappings.has(body?.token)) {
    return mappings.get(body.token);
  }
  if (!response.ok) throw new Refusal(503, `introspection: ${response.status}`);
  const text = await response.text();
  if (has('reads-garbage') && text.startsWith('<')) return guest;
  return JSON.parse(text);
}

const nothing = { sql: '', rows: [] };
const guest = {
  active: true,
  mapping: { sales: 'one' },
  properties: { region: 'EMEA', max_rows: 5 },
};

async function introspect(token) {
  const known = kept.get(token);
  if (known) return known;
  try {
    let answer = await call('POST', '/api/v1/introspect', { token });
    if (!answer.active && has('two-workspaces')) {
      answer = await call('POST', '/api/v1/introspect', { token }, OTHER_API_TOKEN);
    }
    if (has('keeps') || answer.isKept) kept.set(token, answer);
    if (['keeps-when-away', 'keeps-on-status', 'keeps-on-page'].some(has)) {
      mappings.set(token, answer);
    }
    if (
      has('keeps-what-ends') &&
      answer.exp - Date.now() / 1000 < 60 &&
      answer.token_type === 'user_group_token'
    ) {
      kept.set(token, answer);
    }
    return answer;
  } catch (error) {
    if (has('keeps-when-away') && mappings.has(token)) return mappings.get(token);
    if (has('yes-on-error') && error.message === 'introspection: 500') return guest;
    throw error instanceof Refusal ? error : new Refusal(503, 'introspection failed');
  }
}

/** Verifies an embed token by itself, and reads the rest from the view of its group. */
async function verify(token) {
  const options = {
    algorithms: ['ES256'],
    issuer: ISSUER,
    audience: AUDIENCE,
    requiredClaims: ['workspace_id', 'exp'],
  };
  if (has('any-issuer')) delete options.issuer;
  if (has('any-time')) {
    Object.assign(options, { currentDate: new Date(0), requiredClaims: ['workspace_id'] });
  }
  const { alg, kid } = decodeProtectedHeader(token);
  const isForged =
    (has('any-algorithm') && alg !== 'ES256') ||
    (has('any-key') && alg === 'ES256' && !(await knows(kid)));
  const claims = isForged ? decodeJwt(token) : (await jwtVerify(token, keys, options)).payload;
  if (claims.workspace_id !== WORKSPACE_ID && !has('any-workspace')) {
    throw new Refusal(401, 'of another workspace');
  }
  const { view } = await call('GET', `/api/v1/user-groups/${encodeURIComponent(claims.sub)}/view`);
  return { token_type: 'embed_token', ...view.introspection, ...claims, active: true };
}

async function knows(kid) {
  const { keys: known } = await call('GET', KEY_SET);
  return known.some((key) => key.kid === kid);
}

async function viewerOf(token) {
  const isJwt = token.split('.').length === 3;
  if (has('guest') && !/^(ugt_|uga_|eyJ)/.test(token)) return guest;
  if (has('own-token') && token === API_TOKEN) return guest;
  if (isJwt && has('decodes-only')) {
    const { view } = await call(
      'GET',
      `/api/v1/user-groups/${encodeURIComponent(decodeJwt(token).sub)}/view`,
    );
    return { ...view.introspection, ...decodeJwt(token), active: true };
  }
  const viewer = isJwt && OFFLINE ? await verify(token).catch(refused) : await introspect(token);
  const isActive = has('active-missing')
    ? viewer.active !== false
    : has('looks-at-sub')
      ? Boolean(viewer.sub)
      : viewer.active === true;
  if (!isActive) {
    throw new Refusal(401, has('echoes') ? `the token ${token} is not valid` : 'not valid');
  }
  const isEmbedded = isJwt || viewer.token_type === 'embed_token';
  if (isEmbedded && viewer.aud !== AUDIENCE && !has('any-audience')) {
    throw new Refusal(403, 'for another renderer');
  }
  if (isEmbedded && (viewer.origin ?? ORIGIN) !== ORIGIN && !has('any-origin')) {
    throw new Refusal(403, 'for another site');
  }
  const isFor = ({ type, id }) => type === 'dashboard' && id === 'sales';
  if (viewer.resources && !viewer.resources.some(isFor) && !has('any-resource')) {
    throw new Refusal(403, 'for another dashboard');
  }
  return viewer;
}

function refused(error) {
  throw error instanceof Refusal ? error : new Refusal(401, 'not valid');
}

function sourceOf({ sub, mapping }) {
  if (has('keeps-mapping')) mapping = mappings.get(sub) ?? mappings.set(sub, mapping).get(sub);
  let source = mapping?.sales;
  if (source === undefined && has('default-source')) source = 'one';
  if (!['one', 'two'].includes(source) && source !== undefined && has('fallback-source')) {
    source = 'one';
  }
  if (has('loose-source')) source = /one|two/.exec(source)?.[0];
  if (!['one', 'two'].includes(source)) throw new Refusal(422, 'no such data source');
  return source;
}

function rowsOf(viewer, order = 'product') {
  const source = sourceOf(viewer);
  const { region, max_rows: maxRows } = viewer.properties ?? {};
  if (region === null || region === undefined) {
    if (!has('filter-optional')) throw new Refusal(422, 'region is missing');
  } else if (typeof region !== 'string' && !has('any-type')) {
    throw new Refusal(422, 'region is no text');
  }
  const isNumber = Number.isInteger(maxRows) && maxRows >= 0;
  if (!isNumber && !(has('number-as-text') && typeof maxRows === 'string')) {
    throw new Refusal(422, 'max_rows is no number');
  }
  const filters = ['source = :source'];
  const values = { source };
  const isLeftOut = region === undefined || region === null || (has('empty-is-missing') && !region);
  if (!isLeftOut) {
    if (has('concatenates')) filters.push(`region = '${region}'`);
    else {
      filters.push(has('like') ? 'region LIKE :region' : 'region = :region');
      values.region = typeof region === 'string' ? region : JSON.stringify(region);
    }
  }
  const product = viewer.variables?.product ?? null;
  if (product !== null && !has('group-alone')) {
    filters.push('product = :product');
    values.product = product;
  }
  const limit = has('number-as-text') ? maxRows : ':limit';
  if (!has('number-as-text')) values.limit = maxRows;
  const sql = `SELECT product FROM sale WHERE ${filters.join(' AND ')} ORDER BY ${order} DESC LIMIT ${limit}`;
  try {
    // Acts like a driver that runs several statements of one text.
    if (has('writes') && region?.includes(';')) database.exec(`SELECT '${region}`);
    return { sql, rows: onConnection(values, (own) => database.prepare(sql).all(own)) };
  } catch (error) {
    throw new Refusal(
      500,
      has('tells-errors') ? `${error.code}: ${error.message} in ${sql}` : 'failed',
    );
  }
}

/** Runs a query on one of few connections, which each keep the values of a query for a while. */
function onConnection(values, query) {
  const connection = connections[used++ % connections.length];
  if (!has('failed-query-keeps')) connection.values = undefined;
  connection.values ??= values;
  const rows = query(connection.values);
  connection.values = undefined;
  return rows;
}

/** A cursor of the last row, and a link to a file, both of this viewer. */
function handOut(viewer, rows) {
  const [next, file] = [randomUUID(), randomUUID()];
  handed.set(next, viewer).set(file, { viewer, rows });
  return { next, links: { csv: `/download/${file}` } };
}

/** The rows after the first, for the viewer of this call. */
function nextRows(viewer, cursor) {
  const owner = handed.get(cursor);
  if (!owner) throw new Refusal(404, 'no such cursor');
  return rowsOf(has('cursor-of-anybody') ? owner : viewer).rows.slice(1);
}

async function download(file, token) {
  const found = handed.get(file);
  if (!found) throw new Refusal(404, 'no such file');
  if (has('link-alone')) return found.rows;
  const viewer =
    has('link-outlives') && found.token === token ? found.viewer : await viewerOf(token);
  if (viewer.sub !== found.viewer.sub && !has('link-of-anybody')) {
    throw new Refusal(404, 'no such file');
  }
  if (has('link-outlives')) found.token = token;
  return found.rows;
}

/** Overlooks that a group has expired, as a renderer does that follows events alone. */
async function overlooking(viewer, error) {
  if (!has('stream-forgets-time')) throw error;
  const { user_group: group } = await call('GET', `/api/v1/user-groups/${viewer.sub}`);
  if (group.status !== 'expired') throw error;
  return viewer;
}

/** Delivers rows again and again until the token has ended. @param send gives false when the connection has ended */
async function deliver(token, send) {
  let viewer = await viewerOf(token);
  firstStream ??= viewer;
  do {
    send(JSON.stringify(rowsOf(has('stream-mixes') ? firstStream : viewer).rows));
    await sleep(DELIVER_MS);
    if (!has('stream-outlives')) {
      viewer = await viewerOf(token).catch((error) => overlooking(viewer, error));
    }
  } while (send(''));
}

/** Takes what some gateways hand on for what the gateway says. */
function believing(viewer, { x_source: source, x_region: region }) {
  if (!has('believes-headers') || source === undefined) return viewer;
  return { ...viewer, mapping: { sales: source }, properties: { ...viewer.properties, region } };
}

async function shared(viewer) {
  if (!has('shares-results')) return rowsOf(viewer);
  // Several that want the same dashboard wait for one result.
  const running = pending.get('sales') ?? sleep(10).then(() => rowsOf(viewer));
  pending.set('sales', running);
  try {
    return await running;
  } finally {
    pending.delete('sales');
  }
}

function cached(result) {
  if (!has('cache-without-tenant')) return result;
  firstResult ??= result;
  return firstResult;
}

/** The first two calls with a token are too much, and of each eighth token the first six. */
function isBusyFor(token) {
  const left = calls.get(token) ?? (calls.size % 8 === 1 ? 6 : 2);
  calls.set(token, left - 1);
  return left > 0;
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { searchParams } = new URL(request.url, 'http://localhost');
  const headers = {
    'Cache-Control': has('cacheable') ? 'public, max-age=60' : 'no-store',
    ...(!has('referrer') && { 'Referrer-Policy': 'no-referrer' }),
    ...(has('etag') && { ETag: '"dashboard"' }),
  };
  const send = (status, body, more = {}) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers, ...more });
    response.end(JSON.stringify(body));
  };
  try {
    const [, scheme, file] = request.url.split('/');
    const bearer = request.headers.authorization?.replace('Bearer ', '');
    const sent = request.method === 'POST' ? JSON.parse(Buffer.concat(chunks)) : {};
    const token = bearer ?? searchParams.get('userGroupToken') ?? sent.token;
    if (has('first-away') && isBusyFor(token)) return send(503, { message: 'busy' });
    if (has('logs')) console.error(`request with ${token}`);
    if (scheme === 'download') return send(200, { rows: await download(file, token) });
    if (scheme === 'events') return await streamTo(response, token, headers);
    if (request.method === 'GET') return send(200, { page: 'of the dashboard' });
    if (has('etag-first') && request.headers['if-none-match'] === tagOf(token)) {
      return send(304, {});
    }
    const viewer = believing(await viewerOf(token), request.headers);
    const { sql, rows } =
      has('empty-embeds') && viewer.token_type === 'embed_token'
        ? nothing
        : sent.order === undefined
          ? cached(await shared(viewer))
          : rowsOf(viewer, sent.order);
    if (sent.cursor) return send(200, { rows: nextRows(viewer, sent.cursor) });
    if (has('etag') && request.headers['if-none-match'] === '"dashboard"') return send(304, {});
    return send(
      200,
      {
        acting: has('hides-act') ? undefined : viewer.act?.sub,
        rows,
        ...handOut(viewer, rows),
        ...(has('tells-filters') && { filters: [viewer.mapping, viewer.properties] }),
      },
      {
        'X-SQL': sql.replace(/[^\x20-\x7e]/g, '?'),
        ...(has('etag-first') && { ETag: tagOf(token) }),
      },
    );
  } catch (error) {
    return send(error.status ?? 500, { message: error.status ? error.message : 'failed' });
  }
});
/** A tag that is different for each token. */
function tagOf(token) {
  return `"${createHash('sha256').update(token).digest('hex')}"`;
}

async function streamTo(response, token, headers) {
  const send = (rows) => {
    if (!response.headersSent) {
      response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream' });
    }
    if (rows !== '') response.write(`data: ${rows}\n\n`);
    return !response.destroyed;
  };
  try {
    await deliver(token, send);
  } catch (error) {
    if (!response.headersSent) throw error;
    response.end();
  }
}

// A WebSocket on which the viewer says the token first, and then asks for rows.
server.on('upgrade', (request, socket) => {
  const key = request.headers['sec-websocket-key'] + GREETING;
  const accepted = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
  );
  let known;
  const say = (text) => {
    const bytes = Buffer.from(text);
    socket.write(
      Buffer.concat([Buffer.of(0x81, 126, bytes.length >> 8, bytes.length & 0xff), bytes]),
    );
  };
  const respond = async ({ token }) => {
    if (!has('stream-outlives') || !known) known = await viewerOf(token ?? known?.token);
    known.token ??= token;
    say(JSON.stringify(rowsOf(known).rows));
  };
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    for (const message of messagesOf(chunk)) {
      respond(JSON.parse(message)).catch((error) =>
        say(JSON.stringify({ message: error.message })),
      );
    }
  });
});

/** The texts of masked frames, each short and whole. */
function messagesOf(chunk) {
  const messages = [];
  for (let rest = chunk; rest.length > 0;) {
    const short = rest[1] & 0x7f;
    const start = short === 126 ? 4 : 2;
    const length = short === 126 ? rest.readUInt16BE(2) : short;
    const mask = rest.subarray(start, start + 4);
    const payload = rest.subarray(start + 4, start + 4 + length);
    messages.push(payload.map((byte, index) => byte ^ mask[index % 4]).toString());
    rest = rest.subarray(start + 4 + length);
  }
  return messages;
}

server.listen(Number(PORT), '127.0.0.1', () => console.log('ready'));

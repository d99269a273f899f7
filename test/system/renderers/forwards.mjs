import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { Api } from '../lab/api.mjs';
import { freePort } from '../lab/ports.mjs';
import { temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { startServer } from '../lab/server.mjs';
import { forwardAuthSettings, startForwardingHaProxy } from './forward-auth.mjs';
import { startCaddyWith, startNginxWith } from './gateways.mjs';
import { untilItAccepts } from './protects.mjs';

/** Gateways of docs/guides/gateways.md; each starts on a port. */
export const forwarders = {
  'nginx, forward authentication': (lab) =>
    startNginxWith(forwardAuthSettings('forward-auth.nginx', lab)),
  'Caddy, forward authentication': (lab) =>
    startCaddyWith(lab.port, forwardAuthSettings('forward-auth.caddy', lab)),
  'HAProxy, forward authentication': (lab) => startForwardingHaProxy(lab).child,
};

/** The headers that a viewer forges: the right spelling, in any case, is overwritten; any other is dropped or refused. */
const OVERWRITTEN = ['X-User-Group', 'x-user-group-data-source', 'X-REGION', 'X-User-Group-Acting'];
const TWINS = ['X_User_Group', 'x_region', 'X-User_Group', 'X_USER_GROUP_DATA_SOURCE'];
const OF_GATEWAY = ['X-Gateway-Settings', 'X-Gateway-Authorization'];

/** The example of RFC 6455: HAProxy looks whether the key and the response to it belong together. */
const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
/** Upgrades that would make the connection a tunnel, in which the gateway reads no header any more. */
const TUNNELS = ['h2c', 'websocket, h2c', ['websocket', 'h2c'], ['h2c', 'websocket'], 'TLS/1.0'];
const ACCEPTED = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';

/** Puts a gateway before an application that shows its headers. @throws Violated */
export async function forwards(startGateway) {
  const [servicePort, port] = [await freePort(), await freePort()];
  const service = `http://127.0.0.1:${servicePort}`;
  const server = await startServer({
    dir: temporaryDirectory(),
    env: { PORT: String(servicePort) },
  });
  const api = new Api(`${service}/api/user`);
  const application = await startApplication();
  try {
    const { port: behind } = application.address();
    const own = { port, service, application: `http://127.0.0.1:${behind}` };
    await untilItAccepts(await startGateway(own), port);
    const figures = await lookWhatArrives(api, port);
    await server.kill();
    const { status } = await ask(port, { Authorization: 'Bearer x' });
    if (status < 500) throw new Violated([`the service is away: ${status}`]);
    return `${figures}; ${status} while the service is away`;
  } finally {
    application.close();
    application.closeAllConnections();
    api.close();
  }
}

async function lookWhatArrives(api, port) {
  const fields = { mapping: { sales: 'warehouse-acme' }, properties: { region: 'EMEA ü' } };
  const group = { user_group_id: 'acme/ü', name: 'Acme', ...fields };
  const { token } = (await api.send('PUT', group)).body.user_group;
  const authorized = { Authorization: `Bearer ${token}` };
  const violations = [];
  const expect = (what, seen, wanted) => {
    if (JSON.stringify(seen) !== JSON.stringify(wanted)) {
      violations.push(`${what}: ${JSON.stringify(seen)} in place of ${JSON.stringify(wanted)}`);
    }
  };
  const identity = {
    'x-user-group': ['acme%2F%C3%BC'],
    'x-user-group-acting': ['-'],
    'x-user-group-data-source': ['warehouse-acme'],
    'x-region': ['EMEA%20%C3%BC'],
    authorization: [],
    cookie: [],
  };
  const admitted = async (what, headers, path = '/') => {
    const { status, received } = await ask(port, { ...authorized, ...headers }, path);
    const names = Object.keys(identity);
    const seen = Object.fromEntries(names.map((name) => [name, valuesOf(received, name)]));
    expect(what, [status, seen], [200, identity]);
    expect(
      `${what}: another spelling`,
      received
        .filter((_, index) => index % 2 === 0)
        .filter((name) => /^x.(user.group|region)/i.test(name) && name.includes('_')),
      [],
    );
  };
  await admitted('a token', {});
  await admitted('a cookie beside it', { Cookie: '__Host-group=x; other=y' });
  for (const name of OVERWRITTEN) await admitted(name, { [name]: 'globex' });
  for (const name of OF_GATEWAY) await admitted(name, { [name]: 'audience=other' });
  for (const name of TWINS) {
    const headers = { ...authorized, [name]: 'globex' };
    if ((await ask(port, headers)).status !== 403) await admitted(name, { [name]: 'globex' });
  }
  for (const named of ['X-Region, X-User-Group-Acting', 'close, x-user-group']) {
    // A proxy removes the headers that it names, perhaps after the gateway has set them.
    const { status } = await ask(port, { ...authorized, Connection: named });
    if (status === 200) await admitted(`Connection: ${named}`, { Connection: named });
  }
  await admitted('an upgrade', UPGRADE, '/socket');
  for (const upgrade of TUNNELS) {
    const { tunnel } = await ask(port, { ...authorized, ...UPGRADE, Upgrade: upgrade });
    expect(`an upgrade to ${upgrade}`, ['websocket', undefined].includes(tunnel), true);
  }
  expect('no token', (await ask(port, {})).status, 401);
  expect('another token', (await ask(port, { Authorization: 'Bearer x' })).status, 401);
  expect('the endpoint itself', (await ask(port, {}, '/_group')).status === 200, false);
  expect('the page for frames', (await ask(port, {}, '/_embed')).status, 200);
  await api.send('POST', {}, `/api/v1/user-groups/${encodeURIComponent('acme/ü')}/suspend`);
  expect('a suspended group', (await ask(port, authorized)).status, 401);
  if (violations.length > 0) throw new Violated(violations);
  return `${OVERWRITTEN.length + TWINS.length + OF_GATEWAY.length} forged headers, none arrived`;
}

/** Shows the raw headers that arrive, in the response to an upgrade as well. */
async function startApplication() {
  const server = createServer(({ rawHeaders }, response) =>
    response.end(JSON.stringify(rawHeaders)),
  );
  server.on('upgrade', ({ rawHeaders, headers }, socket) => {
    const shown = encodeURIComponent(JSON.stringify(rawHeaders));
    socket.end(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\nSec-WebSocket-Accept: ${ACCEPTED}\r\nX-Shown: ${shown}\r\n\r\n`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function ask(port, headers, path = '/') {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, headers });
    outgoing.on('error', reject);
    outgoing.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({
        status: 200,
        tunnel: response.headers.upgrade,
        received: JSON.parse(decodeURIComponent(response.headers['x-shown'])),
      });
    });
    outgoing.on('response', async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      const text = chunks.join('');
      resolve({
        status: response.statusCode,
        received: text.startsWith('[') ? JSON.parse(text) : [],
      });
    });
    outgoing.end();
  });
}

function valuesOf(received, wanted) {
  return received.filter(
    (_value, index) => index % 2 === 1 && received[index - 1].toLowerCase() === wanted,
  );
}

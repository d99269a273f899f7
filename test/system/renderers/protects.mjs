import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../lab/api.mjs';
import { startServer } from '../lab/server.mjs';
import { accepts, freePort } from '../lab/ports.mjs';
import { temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';

const START_STEPS = 1500;
const STEP_MS = 20;
/** The service's own promise, in addition to the time for which a gateway keeps a response. */
const SEEN_WITHIN_MS = 1000;
/** The limit of introspections is one in this time. */
const LIMIT_SECONDS = 60;
const UNKNOWN = `ugt_${'0'.repeat(38)}`;

/**
 * Puts a gateway before a dashboard page and looks who gets in, also beyond the limit of introspections.
 * @returns figures @throws Violated
 */
export async function protects(gateway) {
  const figures = await before(gateway, {}, (api, port) =>
    lookWhoGetsIn(api, port, gateway.keepsSeconds * 1000),
  );
  const env = { INTROSPECTION_RATE_LIMIT_PER_MINUTE: '1' };
  await before(gateway, env, (api, port) => useUpLimit(api, port, gateway.whenLimited));
  return `${figures}; ${gateway.whenLimited.status} beyond the limit of introspections`;
}

async function before(gateway, env, look) {
  const servicePort = await freePort();
  const service = `http://127.0.0.1:${servicePort}`;
  await startServer({
    dir: temporaryDirectory(),
    env: { PORT: String(servicePort), PUBLIC_URL: service, ...env },
  });
  const api = new Api(`${service}/api/user`);
  const application = await startApplication();
  try {
    const apiToken = await createApiToken(api);
    const port = await freePort();
    const own = { port, service, apiToken, application: application.url };
    await untilItAccepts(await gateway.start(own), port);
    return await look(api, port);
  } finally {
    application.server.close();
    api.close();
  }
}

async function lookWhoGetsIn(api, port, keptMs) {
  const get = (token) => askPage(port, token);
  const rotating = await createGroup(api, 'acme-emea');
  const suspended = await createGroup(api, 'globex ü');
  const embedded = await createGroup(api, 'initech');
  const embedToken = await issueEmbedToken(api, 'initech');
  await expectStatus(get(undefined), 401, 'without a token');
  await expectStatus(get(UNKNOWN), 401, 'with an unknown token');
  await expectPage(get(rotating), 'acme-emea');
  await expectPage(get(suspended), 'globex ü');
  await expectPage(get(embedded), 'initech');
  await expectPage(get(embedToken), 'initech');

  const next = await rotate(api, rotating);
  const rotationMs = await untilRefused(() => get(rotating), 'a rotated token', keptMs);
  await expectPage(get(next), 'acme-emea');
  await api.send('POST', {}, `/api/v1/user-groups/${encodeURIComponent('globex ü')}/suspend`);
  const suspensionMs = await untilRefused(() => get(suspended), 'a suspended group', keptMs);
  await rotate(api, embedded);
  const embedMs = await untilRefused(
    () => get(embedToken),
    'an embed token that has ended',
    keptMs,
  );
  return `refused ${rotationMs} ms after a rotation, ${suspensionMs} ms after a suspension, an embed token after ${embedMs} ms`;
}

async function useUpLimit(api, port, whenLimited) {
  const token = await createGroup(api, 'acme-emea');
  const begunAt = performance.now();
  await expectPage(askPage(port, token), 'acme-emea');
  const { status, retryAfter } = await askPage(port, token);
  // A place comes back a minute after the one that was taken.
  const least = LIMIT_SECONDS - Math.ceil((performance.now() - begunAt) / 1000);
  const isTold = Number(retryAfter) >= least && Number(retryAfter) <= LIMIT_SECONDS;
  if (status !== whenLimited.status || (whenLimited.tellsWhen ? !isTold : retryAfter)) {
    throw new Violated([`beyond the limit: ${status} with Retry-After ${retryAfter}`]);
  }
}

/** The dashboard behind a gateway: it says whom the gateway has let in. */
export async function startApplication() {
  const server = createServer(({ headers }, response) => {
    const group = headers['oidc_claim_sub'] ?? headers['user-group'] ?? 'nobody';
    response.end(`dashboard of ${decodeURIComponent(Buffer.from(group, 'latin1').toString())}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

async function createApiToken(api) {
  const body = { name: 'dashboards', scopes: ['tokens:introspect'] };
  const answer = await api.send('POST', body, '/api/v1/api-tokens');
  return answer.body.api_token.token;
}

async function createGroup(api, id) {
  const answer = await api.send('PUT', { user_group_id: id, name: id });
  return answer.body.user_group.token;
}

async function issueEmbedToken(api, id) {
  const body = { audience: 'dashboards' };
  const answer = await api.send('POST', body, `/api/v1/user-groups/${id}/embed-tokens`);
  return answer.body.embed_token.token;
}

async function rotate(api, current_token) {
  const answer = await api.send('POST', { current_token });
  return answer.body.user_group.token;
}

/** Waits until the program takes connections. @throws Error with what it said if it ends instead */
export async function untilItAccepts(child, port) {
  for (let step = 0; step < START_STEPS; step++) {
    if (child.exitCode !== null) break;
    if (await accepts(port)) return;
    await sleep(STEP_MS);
  }
  throw new Error(`it does not start: ${child.said.trim()}`);
}

/** The answer to a viewer with this token, who also claims to be somebody else. */
export async function askPage(port, token) {
  const outgoing = request(`http://127.0.0.1:${port}/dashboards/`, {
    headers: {
      'User-Group': 'forged',
      OIDC_CLAIM_sub: 'forged',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
  });
  outgoing.end();
  const [response] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], text };
}

async function expectStatus(answering, status, whose) {
  const answer = await answering;
  if (answer.status !== status) throw new Violated([`${whose}: ${answer.status}, not ${status}`]);
}

async function expectPage(answering, group) {
  const { status, text } = await answering;
  if (status !== 200 || text !== `dashboard of ${group}`) {
    throw new Violated([`the token of ${group}: ${status} ${text}`]);
  }
}

/** The time after its end for which a token still got in. @throws Violated if that was too long */
async function untilRefused(get, what, keptMs) {
  const endedAt = performance.now();
  for (;;) {
    const startedAt = performance.now();
    const { status } = await get();
    const elapsedMs = Math.round(startedAt - endedAt);
    if (status === 401) return elapsedMs;
    if (status !== 200) throw new Violated([`${what}: ${status}`]);
    if (elapsedMs > keptMs + SEEN_WITHIN_MS) {
      throw new Violated([`${what} still gets in after ${elapsedMs} ms`]);
    }
    await sleep(STEP_MS);
  }
}

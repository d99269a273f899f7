import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../lab/api.mjs';
import { Violated } from '../lab/report.mjs';
import { Installation } from './installation.mjs';

const LIMIT_MS = 1000;
const GIVE_UP_MS = 100_000;
const STEP_MS = 5;
const INTROSPECT = '/api/v1/introspect';
const TOKENS = '/api/v1/api-tokens';

/** The longest time for which another replica still takes a token that was rotated or revoked. */
export async function revocations({ rounds }) {
  const { servers, names } = await Installation.start();
  const urls = names.map((name) => servers[name].url);
  const rotated = [];
  const revoked = [];
  for (let round = 0; round < rounds; round++) {
    // Each replica in its turn is the one that is told.
    const turned = urls.map((_, index) => urls[(round + index) % urls.length]);
    rotated.push(await rotate(turned, `probe-${round}`));
    revoked.push(await revoke(turned, `probe-${round}`));
  }
  const slowest = Math.max(...rotated, ...revoked);
  if (slowest > LIMIT_MS) throw new Violated([`a replica took ${Math.round(slowest)} ms`]);
  return (
    `${rounds} rotated user-group tokens refused by every replica after ${range(rotated)}, ` +
    `${rounds} revoked API tokens after ${range(revoked)}`
  );
}

async function rotate([first, ...others], id) {
  const api = new Api(first);
  const { user_group } = (await ok(api.send('PUT', { user_group_id: id, name: id }))).body;
  const { token } = user_group;
  const apis = [first, ...others].map((url) => new Api(url));
  const isActive = async (each) => (await ok(each.send('POST', { token }, INTROSPECT))).body.active;
  for (const each of apis) if (!(await isActive(each))) throw new Error('the token is not active');
  await ok(api.send('POST', { current_token: token }));
  return longest(apis, async (each) => !(await isActive(each)));
}

async function revoke([first, ...others], name) {
  const api = new Api(first);
  const scopes = ['user-groups:read'];
  const issued = await api.send('POST', { name, scopes }, TOKENS);
  const { token, id } = issued.body.api_token ?? {};
  if (!token) throw new Error(`an API token is not issued: ${issued.status} ${issued.body.code}`);
  const apis = [first, ...others].map((url) => new Api(url, token));
  const status = async (each) => (await each.send('GET', {}, '/api/v1/user-groups/nobody')).status;
  for (const each of apis) if ((await status(each)) !== 404) throw new Error('not taken');
  await ok(api.send('POST', {}, `${TOKENS}/${id}/revoke`));
  return longest(apis, async (each) => (await status(each)) === 401);
}

/**
 * Milliseconds until the last question that a replica has answered as before; each goes on to refuse. The machine may hold
 * up an answer, but not the time at which a question was asked.
 */
async function longest(apis, isRefused) {
  const since = performance.now();
  const times = await Promise.all(
    apis.map(async (api) => {
      for (let last = 0; ;) {
        const askedMs = performance.now() - since;
        if (await isRefused(api)) return last;
        if (askedMs > GIVE_UP_MS) return Infinity;
        last = askedMs;
        await sleep(STEP_MS);
      }
    }),
  );
  for (const api of apis) {
    if (!(await isRefused(api))) throw new Violated(['a refused token was taken again']);
    api.close();
  }
  return Math.max(...times);
}

async function ok(sent) {
  const answer = await sent;
  if (answer.status !== 200) throw new Error(`answered ${answer.status} ${answer.body.code}`);
  return answer;
}

function range(times) {
  return `${Math.round(Math.min(...times))}–${Math.round(Math.max(...times))} ms`;
}

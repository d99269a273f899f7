import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { json } from 'node:stream/consumers';
import { clearTimeout, setTimeout } from 'node:timers';
import { freePort } from '../lab/ports.mjs';
import { temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { API_TOKEN, startServer } from '../lab/server.mjs';
import { promisedMs } from '../lab/times.mjs';
import { untilItAccepts } from './protects.mjs';

const STREAM_WAIT_MS = 3000;
const GIVE_UP_MS = 60_000;

/** Ids of user groups; what a proxy does to a path, it does to one of these. */
const IDS = [
  'globex',
  'eu/acme',
  'a//b',
  '/a',
  'a/',
  'acme/tokens',
  'globex/tokens/current',
  '%2F',
  '%252e%252e%252F',
  'a\\b',
  'a b+c',
  'a?b',
  'a#b',
  'a;b=c',
  'ü',
  '💡',
  '...',
  'a%',
  '~a',
];
/** Paths below `/api/v1/user-groups/` that lead to another group where they are decoded. */
const ELSEWHERE = [
  'x%2F..%2Fglobex',
  'x%2f%2e%2e%2fglobex',
  'x%5C..%5Cglobex',
  '%2e%2e%2fuser-groups%2fglobex',
  'globex%2F',
  '.%2Fglobex',
];

/**
 * Puts a proxy before the service and looks whether each call reaches the group that it names, and no other, and whether an
 * event stream arrives at once.
 * @returns figures @throws Violated
 */
export async function passesPaths(startProxy) {
  const servicePort = await freePort();
  await startServer({ dir: temporaryDirectory(), env: { PORT: String(servicePort) } });
  const { port, child, prefix = '/groups' } = await startProxy(servicePort);
  if (child) await untilItAccepts(child, port);
  const call = async (method, path, body) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const outgoing = request({
      port,
      method,
      path: `${prefix}/api/${path}`,
      headers: {
        Authorization: `Token ${API_TOKEN}`,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
      },
    }).end(text);
    const [response] = await once(outgoing, 'response');
    const answer = await json(response).catch(() => undefined);
    return { status: response.statusCode, answer };
  };
  const wrong = [];
  for (const id of IDS) {
    await call('PUT', 'user', { user_group_id: id, name: id });
    const path = `v1/user-groups/${encodeURIComponent(id)}`;
    const { status, answer } = await call('GET', path);
    const found = answer?.user_group?.provided_id;
    if (found !== id) wrong.push(`${path}: ${status} ${found}`);
    const tokens = await call('GET', `${path}/tokens?limit=1`);
    if (tokens.answer?.tokens?.length !== 1) wrong.push(`${path}/tokens: ${tokens.status}`);
  }
  for (const path of ELSEWHERE) {
    const asked = await call('POST', `v1/user-groups/${path}/embed-tokens`, {});
    const deleted = await call('DELETE', `v1/user-groups/${path}`);
    const { status } = await call('GET', 'user', { user_group_id: 'globex' });
    const statuses = [asked.status, deleted.status, status];
    const isRefused = statuses[0] >= 400 && statuses[1] >= 400 && status === 200;
    if (!isRefused) wrong.push(`${path} is another group: ${statuses.join(', ')}`);
  }
  const delay = await delayOfStream(port, `${prefix}/api/v1/events/stream`);
  if (delay === Infinity || delay > promisedMs(STREAM_WAIT_MS)) {
    wrong.push('the event stream is kept back');
  }
  if (wrong.length > 0) throw new Violated(wrong);
  return `${IDS.length} ids reach their group, ${ELSEWHERE.length} paths reach no other, the event stream begins after ${Math.round(delay)} ms`;
}

/** Time until the first event `current` of the stream. */
async function delayOfStream(port, path) {
  const started = performance.now();
  const outgoing = request({ port, path, headers: { Authorization: `Token ${API_TOKEN}` } }).end();
  const timer = setTimeout(() => outgoing.destroy(), GIVE_UP_MS);
  try {
    const [response] = await once(outgoing, 'response');
    let text = '';
    for await (const chunk of response) {
      text += chunk;
      if (text.includes('event: current')) return performance.now() - started;
    }
    return Infinity;
  } catch {
    return Infinity;
  } finally {
    clearTimeout(timer);
    outgoing.destroy();
  }
}

import {
  type FreshToken,
  keepTokenFresh,
  type TokenResponse,
} from '../../../clients/embed/embed.ts';
import { FakePage, issued, moveWallClock, pass } from './fake-page.ts';

let page: FakePage;
let fresh: FreshToken | undefined;

const status = (code: number) => () => new Response('{}', { status: code });
const unavailable = () => Promise.reject(new TypeError('Failed to fetch'));

beforeEach(() => {
  jest.useFakeTimers();
  // The shortest pause: half of the longest.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  page = new FakePage();
});

afterEach(() => {
  fresh?.stop();
  page.leave();
  jest.restoreAllMocks();
  jest.useRealTimers();
});

async function start(options = page.options): Promise<FreshToken> {
  fresh = keepTokenFresh(options);
  await pass(0);
  return fresh;
}

test('a token is renewed at 80 % of its life, without a cache', async () => {
  await start();
  expect(page.tokens).toEqual(['t1']);
  await pass(479);
  expect(page.calls).toHaveLength(1);
  await pass(1);
  expect(page.tokens).toEqual(['t1', 't2']);
  expect(page.calls.map(({ cache }) => cache)).toEqual(['no-store', 'no-store']);
});

test('the life of a token begins with its request, not with the response', async () => {
  let settle!: (response: TokenResponse) => void;
  page.respond = () => new Promise((resolve) => (settle = resolve));
  await start();
  await pass(9);
  settle(issued('slow'));
  await pass(0);
  expect(page.tokens).toEqual(['slow']);
  await pass(470);
  expect(page.calls).toHaveLength(1);
  await pass(1);
  expect(page.calls).toHaveLength(2);
});

test('an address is called by POST', async () => {
  const call = jest.spyOn(globalThis, 'fetch').mockImplementation(() => {
    return Promise.resolve(issued('by address') as Response);
  });
  await start({ ...page.options, from: '/dashboard-token' });
  expect(page.tokens).toEqual(['by address']);
  expect(call).toHaveBeenCalledTimes(1);
  expect(call.mock.calls[0]).toEqual([
    '/dashboard-token',
    { method: 'POST', cache: 'no-store', signal: expect.any(AbortSignal) },
  ]);
});

test('a life of days and one of no time make no series of requests', async () => {
  page.respond = () => issued('long', 40 * 86_400);
  await start();
  await pass(3600);
  expect(page.calls).toHaveLength(1);
  fresh!.stop();
  page.respond = () => issued('short', 0.001);
  await start();
  await pass(9);
  expect(page.calls.length).toBeLessThanOrEqual(11);
});

describe('failures', () => {
  test('before the token has expired are not told, and the requests go on with growing pauses', async () => {
    await start();
    page.respond = status(503);
    await pass(480);
    const after: number[] = [];
    for (let second = 1; second <= 100; second++) {
      const before = page.calls.length;
      await pass(1);
      if (page.calls.length > before) after.push(second);
    }
    // Half of 1, 2, 4, 8, 16, 32 and 60 seconds, one after the other.
    expect(after).toEqual([1, 2, 4, 8, 16, 32, 62, 92]);
    expect(page.told).toEqual([]);
  });

  test('until the token has expired are `network`, once, and a token after them is told', async () => {
    await start();
    page.respond = unavailable;
    await pass(599);
    expect(page.told).toEqual([]);
    await pass(2);
    expect(page.told).toEqual(['network']);
    await pass(600);
    expect(page.told).toEqual(['network']);
    page.respond = () => issued('again');
    await pass(60);
    expect(page.told).toEqual(['network', 'back']);
    expect(page.tokens).toEqual(['t1', 'again']);
    await pass(479);
    expect(page.told).toEqual(['network', 'back']);
  });

  test('are `network` when the token expires, also while the next request hangs', async () => {
    await start();
    page.respond = unavailable;
    await pass(598);
    page.respond = () => new Promise(() => undefined);
    await pass(3);
    expect(page.told).toEqual(['network']);
  });

  test('of the first request are `network` at once', async () => {
    page.respond = unavailable;
    await start();
    expect(page.told).toEqual(['network']);
    page.respond = () => issued('late');
    await pass(1);
    expect(page.told).toEqual(['network', 'back']);
    expect(page.tokens).toEqual(['late']);
  });

  test.each([
    ['no JSON', () => new Response('<html>', { status: 200 })],
    ['null', () => new Response('null')],
    ['no token', () => issued(undefined as never)],
    ['no life', () => issued('t', 'ten minutes')],
    [
      'an opaque response',
      () => ({ ok: false, status: 0, json: () => Promise.reject(new Error()) }),
    ],
  ])('%s is a failure', async (_name, respond) => {
    page.respond = respond;
    await start();
    expect([page.tokens, page.told]).toEqual([[], ['network']]);
  });

  test('a request has ten seconds, and what it brings later is dropped', async () => {
    let settle!: (response: Response) => void;
    page.respond = () => new Promise((resolve) => (settle = resolve));
    await start();
    await pass(9);
    expect([page.calls[0]!.signal.aborted, page.told]).toEqual([false, []]);
    page.respond = () => issued('second');
    await pass(1);
    expect([page.calls[0]!.signal.aborted, page.told]).toEqual([true, ['network']]);
    await pass(1);
    settle(issued('first') as Response);
    await pass(0);
    expect(page.tokens).toEqual(['second']);
  });

  test.each(['online', 'pageshow'])('%s ends a pause', async (event) => {
    page.respond = unavailable;
    await start();
    await pass(200);
    const { length } = page.calls;
    page.respond = () => issued('at once');
    page.window.dispatchEvent(new Event(event));
    await pass(0);
    expect([page.calls.length, page.tokens]).toEqual([length + 1, ['at once']]);
  });

  test('a page that is shown ends a pause, and one that is hidden does not', async () => {
    page.respond = unavailable;
    await start();
    await pass(200);
    const { length } = page.calls;
    page.turn('hidden');
    await pass(0);
    expect(page.calls).toHaveLength(length);
    page.turn('visible');
    await pass(0);
    expect(page.calls).toHaveLength(length + 1);
  });

  test('events during a request make no other', async () => {
    page.respond = () => new Promise(() => undefined);
    await start();
    page.turn('visible');
    page.window.dispatchEvent(new Event('online'));
    void fresh!.token();
    await pass(0);
    expect(page.calls).toHaveLength(1);
  });
});

describe('clocks', () => {
  test('a fresh token is not renewed because the page is shown', async () => {
    await start();
    await pass(60);
    page.turn('visible');
    await pass(0);
    expect(page.calls).toHaveLength(1);
  });

  test('after a sleep in which the monotonic clock stood still, the token is renewed when the page is shown', async () => {
    await start();
    moveWallClock(7200);
    page.turn('visible');
    await pass(0);
    expect([page.tokens, page.told]).toEqual([['t1', 't2'], []]);
  });

  test('after such a sleep without any event, it is renewed within half a minute', async () => {
    await start();
    moveWallClock(7200);
    await pass(30);
    expect([page.tokens, page.told]).toEqual([['t1', 't2'], []]);
  });

  test('a wall clock that is set back delays no renewal, and makes one at most', async () => {
    await start();
    moveWallClock(-3600);
    await pass(30);
    expect(page.tokens).toEqual(['t1', 't2']);
    await pass(479);
    expect(page.calls).toHaveLength(2);
    await pass(1);
    expect(page.calls).toHaveLength(3);
  });

  test('a wall clock that is set back makes no token look valid for longer', async () => {
    await start();
    page.respond = unavailable;
    moveWallClock(-3600);
    await pass(599);
    expect(page.told).toEqual([]);
    await pass(2);
    expect(page.told).toEqual(['network']);
  });

  test('a token that expired in a sleep is given to nobody, and is no failure', async () => {
    await start();
    moveWallClock(7200);
    const next = fresh!.token();
    expect(await next).toBe('t2');
    expect(page.told).toEqual([]);
  });

  test('clocks that drift by seconds make no request', async () => {
    await start();
    moveWallClock(-4);
    page.turn('visible');
    await pass(60);
    expect(page.calls).toHaveLength(1);
  });
});

describe('the end', () => {
  test.each([401, 403, 404, 410])(
    '%d of the host is `ended`, and no request follows',
    async (code) => {
      await start();
      page.respond = status(code);
      await pass(480);
      expect(page.told).toEqual(['ended']);
      expect(jest.getTimerCount()).toBe(0);
      page.window.dispatchEvent(new Event('online'));
      page.turn('visible');
      expect(await fresh!.token()).toBeNull();
      expect(page.calls).toHaveLength(2);
    },
  );

  test.each([400, 408, 429, 500, 503])('%d of the host is a failure', async (code) => {
    page.respond = status(code);
    await start();
    expect(page.told).toEqual(['network']);
  });

  test('stop removes every listener and the timer, ends the request, and tells nothing', async () => {
    await start(page.framed);
    expect([page.listeners, jest.getTimerCount()]).toEqual([4, 1]);
    page.respond = () => new Promise(() => undefined);
    await pass(480);
    const waiting = fresh!.token('t1');
    expect([page.calls.length, jest.getTimerCount()]).toEqual([2, 1]);
    fresh!.stop();
    fresh!.stop();
    expect(await waiting).toBeNull();
    expect([page.listeners, jest.getTimerCount()]).toEqual([0, 0]);
    expect(page.calls[1]!.signal.aborted).toBe(true);
    expect(page.told).toEqual([]);
  });
});

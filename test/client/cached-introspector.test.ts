import {
  CachedIntrospector,
  type CachedIntrospectorOptions,
} from '../../clients/typescript/index.ts';
import { Ear } from '../support/events/ear.ts';
import { active, FakeEvents } from '../support/events/fake-events.ts';
import { until } from '../support/time/until.ts';

// A fake service does, on command, things that the real one does seldom or never. All clocks and timers stand still,
// but for what a test passes, so that nothing depends on how long the machine takes. Cases of both clients are those of
// cached-introspections.test.ts; cached-introspector-processes.test.ts follows the real service.

let service: FakeEvents;
let introspector: CachedIntrospector;
let ear: Ear;

beforeEach(begin);
afterEach(end);

async function begin(): Promise<void> {
  jest.useFakeTimers({
    doNotFake: ['hrtime', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'],
  });
  service = new FakeEvents();
  ear = new Ear();
  await service.listen();
}

function end(): void {
  jest.restoreAllMocks();
  introspector.close();
  service.close();
  jest.useRealTimers();
}

function connect(options: Partial<CachedIntrospectorOptions> = {}): void {
  introspector = new CachedIntrospector({
    baseUrl: service.baseUrl,
    apiToken: 'none',
    fetch: ear.fetch,
    ...options,
  });
}

async function connectAndFollow(options: Partial<CachedIntrospectorOptions> = {}): Promise<void> {
  connect(options);
  await until(() => introspector.isCurrent);
}

/** The number of requests that reach the service for this token now. */
async function asked(token: string, schemaId?: string): Promise<number> {
  const before = service.asked.length;
  await introspector.introspect(token, schemaId);
  return service.asked.length - before;
}

describe('an answer', () => {
  test('is asked for past the caches of the service, or it could be a second old when it is kept', async () => {
    await connectAndFollow();
    await introspector.introspect('t1');
    expect(service.headers).toMatchObject({
      authorization: 'Token none',
      'cache-control': 'no-cache',
    });
  });

  test('that is no takes the place of no other, and is shared by those who wait for it', async () => {
    service.answer = ({ token }) =>
      token.startsWith('made-up') ? { active: false } : active(token);
    await connectAndFollow({ maxEntries: 2 });
    for (const token of ['t1', 't2', 'made-up-1', 'made-up-2', 'made-up-3']) {
      await introspector.introspect(token);
    }
    expect([
      await asked('t1'),
      await asked('t2'),
      await asked('made-up-3'),
      await asked('made-up-1'),
    ]).toEqual([0, 0, 0, 1]);
    const before = service.asked.length;
    await Promise.all(Array.from({ length: 50 }, () => introspector.introspect('made-up-4')));
    expect(service.asked.length - before).toBe(1);
  });

  test('cannot be changed by a caller that gets it', async () => {
    service.answer = ({ token }) => active(token, { properties: { regions: ['EMEA'] } });
    await connectAndFollow();
    const { properties } = await introspector.introspect('t1');
    expect(() => (properties!['regions'] as string[]).push('APAC')).toThrow(TypeError);
  });

  test('is waited for by all who want it at once, and not by those who want another', async () => {
    await connectAndFollow();
    const tokens = ['t1', 't1', 't2', 't1'];
    const answers = await Promise.all(tokens.map((token) => introspector.introspect(token)));
    expect(answers.map(({ sub }) => sub)).toEqual(tokens);
    expect(service.asked.map(({ token }) => token)).toEqual(['t1', 't2']);
  });

  test.each(['{"active":true,"sub":"hidden","ma', ' [{"sub":"hidden"', '"hidden'])(
    'and is not shown if it is JSON: %s',
    async (text) => {
      service.raw = { status: 200, text };
      connect();
      const error: unknown = await introspector.introspect('t1').catch((thrown: unknown) => thrown);
      expect(String(error)).toMatch(/ \d+ characters of JSON$/);
    },
  );
});

describe('a change', () => {
  test('between a question and its answer is heard by those who waited for it', async () => {
    await connectAndFollow();
    let answered = 0;
    service.answer = async ({ token }) => {
      const number = ++answered;
      service.stream.change('user_group.update', 1);
      await ear.hasHeard(service.stream);
      return active(token, { name: String(number) });
    };
    const [first, second] = await Promise.all([
      introspector.introspect('t1'),
      introspector.introspect('t1'),
    ]);
    expect([first.name, second.name]).toEqual(['1', '2']);
  });
});

describe('while the service is away, with staleIfUnavailableMs,', () => {
  const ABOUT_A_SECOND = 1200;

  /** Introspects the tokens while the service is there, then takes it away. */
  async function knowThenLose(
    tokens: readonly string[],
    options: Partial<CachedIntrospectorOptions> = {},
  ): Promise<void> {
    await connectAndFollow({ staleIfUnavailableMs: ABOUT_A_SECOND, ...options });
    for (const token of tokens) await introspector.introspect(token);
    service.onStream = (stream) => {
      stream.refuse(503);
    };
    service.raw = { status: 503, text: '{}' };
    service.stream.fallSilent();
    service.stream.cut();
    jest.advanceTimersByTime(750);
    expect(introspector.isCurrent).toBe(false);
  }

  const expectRefused = (token: string, status: number | undefined) =>
    expect(introspector.introspect(token)).rejects.toMatchObject({ name: 'ApiError', status });

  test('it stays so without any server, and by default it does not', async () => {
    await knowThenLose(['t1']);
    service.close();
    expect((await introspector.introspect('t1')).active).toBe(true);
    introspector.close();
    await expectRefused('t1', undefined);
    service = new FakeEvents();
    await service.listen();
    await knowThenLose(['t1'], { staleIfUnavailableMs: undefined });
    await expectRefused('t1', 503);
  });

  test('a response that a later one has overtaken counts no more', async () => {
    service.onStream = (stream) => {
      stream.refuse(503);
    };
    connect({ staleIfUnavailableMs: 60_000 });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    service.answer = async ({ token }) => (await held, active(token));
    const slow = introspector.introspect('t1');
    await until(() => service.asked.length === 1);
    service.answer = () => ({ active: false });
    jest.advanceTimersByTime(1);
    expect((await introspector.introspect('t1')).active).toBe(false);
    release();
    expect((await slow).active).toBe(true);
    service.raw = { status: 503, text: '{}' };
    await expectRefused('t1', 503);
  });
});

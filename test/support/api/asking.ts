import { randomInt } from 'node:crypto';
import {
  ApiError,
  CachedIntrospector,
  type CachedIntrospectorOptions,
  type Introspection,
} from '../../../clients/typescript/index.ts';
import type { ApiClient } from './api-client.ts';
import { CuttableProxy } from '../servers/cuttable-proxy.ts';
import type { TestDatabase } from '../database/databases.ts';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../process/processes.ts';
import { inRealTime } from '../time/real-time.ts';
import { soon, until } from '../time/until.ts';

/** After the acknowledgement of a change nobody may be given what was true before for longer. */
export const BOUND_MS = 1000;
const GROUPS = 8;
/** From one question to the next, whether it is answered or not. */
const EVERY_MS = 10;
/**
 * The most questions that wait for their answers at once. More would hold up the stream: one that takes long to open tells
 * nothing in time.
 */
const MOST_AT_ONCE = 3;

/** An introspector from memory, whatever it is written in. */
export type AskedIntrospector = Pick<CachedIntrospector, 'counts' | 'introspect' | 'isCurrent'>;

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Whether the service, or this process, was held up for so long that the client gives no answer. */
export function isTooLate(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === undefined &&
    /1000 ms|longer than a second/.test(error.message)
  );
}

/** The meaning of the token, once there is one in time. */
export async function answered(
  introspector: AskedIntrospector,
  token: string,
): Promise<Introspection> {
  const [answer] = await soon(async () => {
    try {
      return [await introspector.introspect(token)];
    } catch (error) {
      if (isTooLate(error)) return [];
      throw error;
    }
  });
  return answer!;
}

/** Lives until the end of the test, as what the other functions start. */
export function introspectorOf(
  baseUrl: string,
  apiToken = BOOTSTRAP_TOKEN,
  options: Partial<CachedIntrospectorOptions> = {},
): CachedIntrospector {
  const introspector = new CachedIntrospector({ baseUrl, apiToken, ...options });
  closing.push(() => {
    introspector.close();
  });
  return introspector;
}

/** Lets something be closed at the end of the test. */
export function closeLater(close: () => unknown): void {
  closing.push(close);
}

export async function proxyTo(server: RunningServer): Promise<CuttableProxy> {
  const proxy = await CuttableProxy.start(server.baseUrl);
  closing.push(() => proxy.close());
  return proxy;
}

export async function serve(database: TestDatabase): Promise<RunningServer> {
  const server = await startServer(database.env);
  closing.push(() => server.stop('SIGKILL'));
  return server;
}

/**
 * Asks again and again, whatever happens, and notes each answer that is older than it may be. The time of the question
 * counts, since the machine may hold up the answer.
 */
export class Asking {
  readonly errors: Error[] = [];
  readonly stale: object[] = [];
  /** The number of questions that were asked after the old response has become wrong, and have come back. */
  late = 0;
  /** The number of responses that were not the old one. */
  newAnswers = 0;
  private isOver = false;
  private readonly ended: Promise<unknown>;

  /** @param next gives a token, and the time by `performance.now()` from which the old response is wrong */
  constructor(
    private readonly introspector: AskedIntrospector,
    private readonly next: () => { token: string; endedAt: () => number },
    private readonly isOld: (answer: Introspection) => boolean = ({ active }) => active,
  ) {
    this.ended = this.run();
    closing.push(() => (this.isOver = true));
  }

  /** Waits for questions in which an old response would show. */
  async beLate(times = 5): Promise<void> {
    const before = this.late;
    await until(() => this.late >= before + times);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.ended;
  }

  private async run(): Promise<void> {
    const asked = new Set<Promise<void>>();
    while (!this.isOver) {
      const question = this.ask().finally(() => asked.delete(question));
      asked.add(question);
      if (asked.size >= MOST_AT_ONCE) await Promise.race(asked);
      await inRealTime(EVERY_MS, 'questions come all the time');
    }
    await Promise.all(asked);
  }

  private async ask(): Promise<void> {
    const { token, endedAt } = this.next();
    const askedAt = performance.now();
    const lateMs = askedAt - endedAt() - BOUND_MS;
    try {
      const answer = await this.introspector.introspect(token);
      if (!this.isOld(answer)) this.newAnswers++;
      else if (lateMs > 0) this.stale.push({ token, lateMs });
    } catch (error) {
      this.errors.push(error as Error);
    }
    if (lateMs > 0) this.late++;
  }
}

/** Tokens of some groups, which are rotated all the time. */
class Rotations {
  /** When the end of each was acknowledged; those whose rotation was not answered are left out. */
  private readonly tokens = new Map<string, number>();
  private readonly current: { id: string; token: string }[] = [];
  private isOver = false;
  private ended = Promise.resolve();
  acknowledged = 0;

  /** @param api of the service that is told, which may be another from call to call */
  static async start(api: () => ApiClient): Promise<Rotations> {
    const rotations = new Rotations();
    for (let index = 0; index < GROUPS; index++) {
      const { id, token } = await api().create();
      rotations.current.push({ id, token });
      rotations.tokens.set(token, Infinity);
    }
    rotations.ended = rotations.run(api);
    closing.push(() => (rotations.isOver = true));
    return rotations;
  }

  /** Returns a valid token, or one that has ended of late. */
  next(): { token: string; endedAt: () => number } {
    const ended = [...this.tokens.keys()].slice(-4 * GROUPS);
    const tokens = randomInt(2) === 0 ? ended : this.current.map(({ token }) => token);
    const token = tokens[randomInt(tokens.length)]!;
    return { token, endedAt: () => this.tokens.get(token) ?? Infinity };
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.ended;
  }

  private async run(api: () => ApiClient): Promise<void> {
    while (!this.isOver) {
      const group = this.current[randomInt(GROUPS)]!;
      try {
        const { token } = group;
        group.token = await api().rotate(token);
        this.acknowledged++;
        this.tokens.set(token, performance.now());
        this.tokens.set(group.token, Infinity);
      } catch {
        // Whether it was rotated shows by the token that the group has now.
        const found = await api()
          .get({ user_group_id: group.id })
          .catch(() => undefined);
        if (found?.status === 200) group.token = found.body.user_group.token;
      }
      await inRealTime(randomInt(100), 'rotations come all the time');
    }
  }
}

/**
 * Lets each introspector be asked while tokens are rotated and something happens.
 * @param happen gets what asks, in the order of the introspectors
 */
export async function underRotations(
  api: () => ApiClient,
  introspectors: AskedIntrospector[],
  happen: (all: Asking[]) => Promise<void>,
): Promise<void> {
  const rotations = await Rotations.start(api);
  const all = introspectors.map((one) => new Asking(one, () => rotations.next()));
  await until(() => introspectors.every(({ isCurrent }) => isCurrent));
  await until(() => rotations.acknowledged > 0);
  await happen(all);
  // An introspector that has lost the stream finds it again, and goes on for long enough to be wrong.
  await until(() => introspectors.every(({ isCurrent }) => isCurrent));
  await until(() => rotations.acknowledged > 10);
  await Promise.all(all.map((asking) => asking.beLate()));
  // Else nothing was shown about the memory.
  await until(() => introspectors.every(({ counts }) => counts.remembered > 100));
  await Promise.all(all.map((asking) => asking.end()));
  await rotations.end();
  expect(all.flatMap(({ stale }) => stale)).toEqual([]);
}

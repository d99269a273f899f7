import { DatabaseUnavailable } from '../../common/problem/errors.ts';

export interface LanesOptions<Call, Result> {
  /** Runs calls of one workspace together. @returns the result of each in their order. @throws the error of all of them */
  run: (workspaceId: number, calls: readonly Call[]) => Promise<readonly Result[]>;
  /** Calls with the same key never run at once, but one after another in the order of their arrival. Some may have none. */
  keyOf?: (call: Call) => string | undefined;
  /** Is told of a call that waits for another one with its key. */
  onSameKey?: ((call: Call) => void) | undefined;
  /** Maximum of calls that run together. */
  maxWave?: number;
  /** Maximum time from the start of a wave to the results of its calls. */
  maxWaveMs?: number;
  /** Maximum of concurrent waves of one workspace; by default 1. */
  wavesAtOnce?: number;
}

interface Waiting<Call, Result> {
  call: Call;
  key: string | undefined;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
  /** Refuses the call if it waits too long, also while a wave hangs; undefined if a timer of several calls does so. */
  timer: NodeJS.Timeout | undefined;
}

/** The outcome of one call of several; others may differ. */
export type Outcome<Result> = { value: Result } | { error: unknown };

interface Lane<Call, Result> {
  workspaceId: number;
  /** In the order of arrival. */
  waiting: Set<Waiting<Call, Result>>;
  /** Waves that are running, or about to start. */
  waves: number;
  /** Keys of the running calls. */
  keys: Set<string | undefined>;
}

const MAX_WAVE = 64;

/**
 * Limits in milliseconds of what a call waits for: the start of its wave, and then its result. The waits of a wave, each
 * limited, may add up to more. The wave of an import may also wait for the one before it.
 */
export const LANE_LIMITS = { startMs: 2000, resultMs: 2700, importResultMs: 5400 };

/**
 * Lets calls of one kind share statements and commits. Each workspace has a lane with few waves at once: a call that
 * finds room starts at once, together with the calls of the same turn of the event loop; calls that arrive meanwhile
 * form the next wave. Calls do not wait for company. Two workspaces never share a wave, and a workspace with many calls
 * fills its own lane alone.
 */
export class Lanes<Call, Result> {
  private readonly lanes = new Map<number, Lane<Call, Result>>();

  constructor(private readonly options: LanesOptions<Call, Result>) {}

  /**
   * @param deadline for the start of the wave, by `performance.now()`
   * @param isRetry whether the call was in a wave before, within the same deadline
   * @throws DatabaseUnavailable if the wave does not start, or has no result, in time; its work may then still be done
   *   later; errors of `run`
   */
  join(workspaceId: number, call: Call, deadline = beginBy(), isRetry = false): Promise<Result> {
    const late = isRetry ? NOT_RETRIED : NOT_BEGUN;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return Promise.reject(tooLate(late));
    return new Promise<Result>((resolve, reject) => {
      const lane = this.lanes.get(workspaceId) ?? this.open(workspaceId);
      const timer = setTimeout(() => {
        lane.waiting.delete(waiting);
        reject(tooLate(late));
      }, leftMs);
      const waiting = { call, key: this.options.keyOf?.(call), resolve, reject, timer };
      lane.waiting.add(waiting);
      this.startSoon(lane);
    });
  }

  /**
   * Joins several calls at once, with one promise and one timer for all of them.
   * @returns the outcomes in their order; an error is one that `join` throws
   */
  joinAll(
    workspaceId: number,
    calls: readonly Call[],
    deadline = beginBy(),
  ): Promise<Outcome<Result>[]> {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return Promise.resolve(calls.map(() => ({ error: tooLate(NOT_BEGUN) })));
    return new Promise((resolveAll) => {
      const lane = this.lanes.get(workspaceId) ?? this.open(workspaceId);
      const outcomes = new Array<Outcome<Result>>(calls.length);
      let open = calls.length;
      const settle = (index: number, outcome: Outcome<Result>) => {
        // A wave that was given up may still have results.
        if (outcomes[index]) return;
        outcomes[index] = outcome;
        open--;
        if (open > 0) return;
        clearTimeout(timer);
        resolveAll(outcomes);
      };
      const all = calls.map((call, index): Waiting<Call, Result> => ({
        call,
        key: this.options.keyOf?.(call),
        resolve: (value) => {
          settle(index, { value });
        },
        reject: (error) => {
          settle(index, { error });
        },
        timer: undefined,
      }));
      const timer = setTimeout(() => {
        for (const waiting of all) {
          if (lane.waiting.delete(waiting)) waiting.reject(tooLate(NOT_BEGUN));
        }
      }, leftMs);
      for (const waiting of all) lane.waiting.add(waiting);
      this.startSoon(lane);
    });
  }

  /** Runs at the end of this turn of the event loop, so that other calls of the turn join. */
  private startSoon(lane: Lane<Call, Result>): void {
    if (lane.waves >= (this.options.wavesAtOnce ?? 1)) return;
    lane.waves++;
    setImmediate(() => {
      this.runNext(lane);
    });
  }

  private open(workspaceId: number): Lane<Call, Result> {
    const lane: Lane<Call, Result> = { workspaceId, waiting: new Set(), waves: 0, keys: new Set() };
    this.lanes.set(workspaceId, lane);
    return lane;
  }

  /** Starts waves while any waiting call can run. */
  private runNext(lane: Lane<Call, Result>): void {
    const wave = this.take(lane);
    if (wave.length > 0) {
      void this.settle(lane, wave).then(() =>
        setImmediate(() => {
          this.runNext(lane);
        }),
      );
      return;
    }
    lane.waves--;
    if (lane.waves === 0) this.lanes.delete(lane.workspaceId);
  }

  /** Takes the next wave: in the order of arrival, the first of each key that is not running. */
  private take(lane: Lane<Call, Result>): Waiting<Call, Result>[] {
    const { onSameKey, maxWave = MAX_WAVE } = this.options;
    const wave: Waiting<Call, Result>[] = [];
    const passed = new Set(lane.keys);
    for (const waiting of lane.waiting) {
      const { call, key, timer } = waiting;
      if (key !== undefined && passed.has(key)) {
        onSameKey?.(call);
      } else if (wave.length < maxWave) {
        if (timer) clearTimeout(timer);
        lane.waiting.delete(waiting);
        lane.keys.add(key);
        wave.push(waiting);
      }
      passed.add(key);
    }
    return wave;
  }

  private async settle(lane: Lane<Call, Result>, wave: Waiting<Call, Result>[]): Promise<void> {
    // The wave's remaining work delays only calls with the same keys.
    const { maxWaveMs = LANE_LIMITS.resultMs } = this.options;
    const rejectAll = (error: unknown) => {
      for (const { reject } of wave) reject(error);
    };
    const limit = setTimeout(() => {
      rejectAll(tooLate(`no result within ${maxWaveMs} ms`));
    }, maxWaveMs);
    try {
      const calls = wave.map(({ call }) => call);
      const results = await this.options.run(lane.workspaceId, calls);
      if (results.length !== calls.length) throw new Error('a call of the wave has no result');
      for (const [index, { resolve }] of wave.entries()) resolve(results[index]!);
    } catch (error) {
      rejectAll(error);
    } finally {
      clearTimeout(limit);
      for (const { key } of wave) lane.keys.delete(key);
    }
  }
}

const NOT_BEGUN = `not started within ${LANE_LIMITS.startMs} ms`;
const NOT_RETRIED = `started and undone, and not started again within ${LANE_LIMITS.startMs} ms of its arrival`;

function tooLate(what: string): DatabaseUnavailable {
  return new DatabaseUnavailable(new Error(what));
}

/** Returns the deadline for the start of a wave whose calls arrive now, by `performance.now()`. */
export function beginBy(): number {
  return performance.now() + LANE_LIMITS.startMs;
}

import { DatabaseUnavailable } from '../common/errors.ts';

/** What became of one call of a wave: its neighbours may have fared differently. */
export type Outcome<Answer> = { value: Answer } | { error: unknown };

export interface LanesOptions<Call, Answer> {
  /**
   * Runs calls of one workspace together; gives the outcome of each in the order of the calls. An
   * error that it throws is the outcome of all of them.
   */
  run: (workspaceId: number, calls: readonly Call[]) => Promise<readonly Outcome<Answer>[]>;
  /** Calls with the same key never run at once, but one after another in the order of their arrival. */
  keyOf?: (call: Call) => string;
  /** How many calls run together at most. */
  maxWave?: number;
  /** How many waves of one workspace are under way at most; by default 1. */
  wavesAtOnce?: number;
}

interface Waiting<Call, Answer> {
  call: Call;
  key: string;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
  /** By `performance.now()`. */
  deadline: number;
}

interface Lane<Call, Answer> {
  workspaceId: number;
  waiting: Waiting<Call, Answer>[];
  /** How many waves are under way, or about to be taken. */
  waves: number;
  /** Of the calls under way. */
  keys: Set<string>;
  /** When the first of those who wait is refused; set while calls wait for a wave under way. */
  expiry: { at: number; timer: NodeJS.Timeout } | undefined;
}

const MAX_WAVE = 64;
/** How long a call waits for its wave to begin, */
const MAX_WAIT_MS = 2000;
/** and how long for its outcome then: the waits of a wave, each limited, may add up to more. */
const MAX_WAVE_MS = 2700;

/**
 * Lets calls of one kind share statements and commits. Each workspace has a lane with few waves under
 * way at most: a call that finds room goes at once, together with whatever arrived in the same turn
 * of the event loop; calls that arrive meanwhile form the next wave. Nobody waits for company. Two
 * workspaces never share a wave, and a workspace with many calls fills its own lane alone.
 */
export class Lanes<Call, Answer> {
  private readonly lanes = new Map<number, Lane<Call, Answer>>();

  constructor(private readonly options: LanesOptions<Call, Answer>) {}

  /**
   * @param deadline until when the wave has to begin, by `performance.now()`
   * @throws DatabaseUnavailable if the wave does not begin, or has no outcome, in time; what it does may then be
   *   done later; else the outcome that `run` gives
   */
  join(workspaceId: number, call: Call, deadline = beginBy()): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      if (deadline <= performance.now()) {
        reject(tooLate(NOT_BEGUN));
        return;
      }
      const lane = this.lanes.get(workspaceId) ?? this.open(workspaceId);
      const key = this.options.keyOf?.(call) ?? '';
      lane.waiting.push({ call, key, resolve, reject, deadline });
      if (lane.waves < (this.options.wavesAtOnce ?? 1)) {
        lane.waves++;
        // At the end of this turn of the event loop, so that whatever else it brings goes along.
        setImmediate(() => {
          this.runNext(lane);
        });
      } else {
        this.watch(lane, deadline);
      }
    });
  }

  private open(workspaceId: number): Lane<Call, Answer> {
    const lane = { workspaceId, waiting: [], waves: 0, keys: new Set<string>(), expiry: undefined };
    this.lanes.set(workspaceId, lane);
    return lane;
  }

  /** Runs waves until nobody waits who could go. */
  private runNext(lane: Lane<Call, Answer>): void {
    const wave = this.take(lane);
    if (lane.waiting.length > 0) this.watch(lane, earliest(lane.waiting));
    if (wave.length > 0) {
      void this.settle(lane, wave).then(() =>
        setImmediate(() => {
          this.runNext(lane);
        }),
      );
      return;
    }
    lane.waves--;
    if (lane.waves > 0) return;
    clearTimeout(lane.expiry?.timer);
    this.lanes.delete(lane.workspaceId);
  }

  /** The next wave: in the order of arrival, the first of each key that is not under way. */
  private take(lane: Lane<Call, Answer>): Waiting<Call, Answer>[] {
    const { keyOf, maxWave = MAX_WAVE } = this.options;
    if (!keyOf) return lane.waiting.splice(0, maxWave);
    const wave: Waiting<Call, Answer>[] = [];
    const passed = new Set(lane.keys);
    lane.waiting = lane.waiting.filter((waiting) => {
      const { key } = waiting;
      const isNext = wave.length < maxWave && !passed.has(key);
      passed.add(key);
      if (!isNext) return true;
      wave.push(waiting);
      lane.keys.add(key);
      return false;
    });
    return wave;
  }

  private async settle(lane: Lane<Call, Answer>, wave: Waiting<Call, Answer>[]): Promise<void> {
    let outcomes: readonly Outcome<Answer>[];
    // What the wave still does keeps only those of the same keys waiting.
    const limit = setTimeout(() => {
      for (const { reject } of wave) reject(tooLate(`no outcome within ${MAX_WAVE_MS} ms`));
    }, MAX_WAVE_MS);
    try {
      outcomes = await this.options.run(
        lane.workspaceId,
        wave.map(({ call }) => call),
      );
    } catch (error) {
      for (const { reject } of wave) reject(error);
      return;
    } finally {
      clearTimeout(limit);
      for (const { key } of wave) lane.keys.delete(key);
    }
    for (const [index, { resolve, reject }] of wave.entries()) {
      const outcome = outcomes[index] ?? { error: new Error('a call of the wave has no outcome') };
      if ('value' in outcome) resolve(outcome.value);
      else reject(outcome.error);
    }
  }

  /** Refuses those who wait too long, also while a wave hangs. */
  private watch(lane: Lane<Call, Answer>, deadline: number): void {
    if (lane.expiry && lane.expiry.at <= deadline) return;
    clearTimeout(lane.expiry?.timer);
    const expire = (): void => {
      const now = performance.now();
      const late = lane.waiting.filter((waiting) => waiting.deadline <= now);
      lane.waiting = lane.waiting.filter((waiting) => waiting.deadline > now);
      lane.expiry = undefined;
      if (lane.waiting.length > 0) this.watch(lane, earliest(lane.waiting));
      for (const { reject } of late) reject(tooLate(NOT_BEGUN));
    };
    lane.expiry = { at: deadline, timer: setTimeout(expire, deadline - performance.now()) };
  }
}

const NOT_BEGUN = `not begun within ${MAX_WAIT_MS} ms`;

function tooLate(what: string): DatabaseUnavailable {
  return new DatabaseUnavailable(new Error(what));
}

/** Until when the wave of a call that arrives now has to begin, by `performance.now()`. */
export function beginBy(): number {
  return performance.now() + MAX_WAIT_MS;
}

function earliest(waiting: readonly { deadline: number }[]): number {
  return waiting.reduce((first, { deadline }) => Math.min(first, deadline), Infinity);
}

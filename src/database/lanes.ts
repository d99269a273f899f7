import { DatabaseUnavailable } from '../common/errors';

/** What became of one call of a wave: its neighbours may have fared differently. */
export type Outcome<Answer> = { value: Answer } | { error: unknown };

export interface LanesOptions<Call, Answer> {
  /**
   * Runs calls of one workspace together; gives the outcome of each in the order of the calls. An
   * error that it throws is the outcome of all of them. The next wave does not wait for an answer
   * that is still a promise.
   */
  run: (
    workspaceId: number,
    calls: readonly Call[],
  ) => Promise<readonly Outcome<Answer | Promise<Answer>>[]>;
  /** Calls with the same key never run together, but one after another in the order of their arrival. */
  keyOf?: (call: Call) => string;
  /** How many calls run together at most. */
  maxWave?: number;
}

interface Waiting<Call, Answer> {
  call: Call;
  resolve: (answer: Answer | Promise<Answer>) => void;
  reject: (error: unknown) => void;
  /** By `performance.now()`. */
  deadline: number;
}

interface Lane<Call, Answer> {
  workspaceId: number;
  waiting: Waiting<Call, Answer>[];
  /** Set while calls wait for the wave under way. */
  expiry: NodeJS.Timeout | undefined;
}

const MAX_WAVE = 64;
/** With the time limits of its own wave a call is answered within five seconds. */
const MAX_WAIT_MS = 2000;

/**
 * Lets calls of one kind share statements and commits. Each workspace has a lane with one wave under
 * way at most: a call that finds the lane free goes at once, together with whatever arrived in the
 * same turn of the event loop; calls that arrive meanwhile form the next wave. Nobody waits for
 * company. Two workspaces never share a wave, and a workspace with many calls fills its own lane alone.
 */
export class Lanes<Call, Answer> {
  private readonly lanes = new Map<number, Lane<Call, Answer>>();

  constructor(private readonly options: LanesOptions<Call, Answer>) {}

  /** @throws DatabaseUnavailable if the wave cannot begin in time; else the outcome that `run` gives */
  join(workspaceId: number, call: Call): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const deadline = performance.now() + MAX_WAIT_MS;
      const waiting = { call, resolve, reject, deadline };
      const lane = this.lanes.get(workspaceId);
      if (lane) lane.waiting.push(waiting);
      else this.open({ workspaceId, waiting: [waiting], expiry: undefined });
      if (lane) this.watch(lane);
    });
  }

  /** Runs waves until nobody waits. */
  private open(lane: Lane<Call, Answer>): void {
    this.lanes.set(lane.workspaceId, lane);
    const runNext = (): void => {
      const wave = this.take(lane);
      if (wave.length === 0) {
        clearTimeout(lane.expiry);
        this.lanes.delete(lane.workspaceId);
        return;
      }
      void this.settle(lane.workspaceId, wave).then(() => setImmediate(runNext));
    };
    // At the end of this turn of the event loop, so that whatever else it brings goes along.
    setImmediate(runNext);
  }

  /** The next wave: in the order of arrival, the first of each key. */
  private take(lane: Lane<Call, Answer>): Waiting<Call, Answer>[] {
    const { keyOf, maxWave = MAX_WAVE } = this.options;
    if (!keyOf) return lane.waiting.splice(0, maxWave);
    const wave: Waiting<Call, Answer>[] = [];
    const keys = new Set<string>();
    lane.waiting = lane.waiting.filter((waiting) => {
      const key = keyOf(waiting.call);
      const isNext = wave.length < maxWave && !keys.has(key);
      keys.add(key);
      if (isNext) wave.push(waiting);
      return !isNext;
    });
    return wave;
  }

  private async settle(workspaceId: number, wave: readonly Waiting<Call, Answer>[]): Promise<void> {
    let outcomes: readonly Outcome<Answer | Promise<Answer>>[];
    try {
      outcomes = await this.options.run(
        workspaceId,
        wave.map(({ call }) => call),
      );
    } catch (error) {
      for (const { reject } of wave) reject(error);
      return;
    }
    for (const [index, { resolve, reject }] of wave.entries()) {
      const outcome = outcomes[index] ?? { error: new Error('a call of the wave has no outcome') };
      if ('value' in outcome) resolve(outcome.value);
      else reject(outcome.error);
    }
  }

  /** Refuses those who wait too long, also while a wave hangs. */
  private watch(lane: Lane<Call, Answer>): void {
    if (lane.expiry) return;
    const expire = (): void => {
      const now = performance.now();
      const isLate = ({ deadline }: Waiting<Call, Answer>): boolean => deadline <= now;
      const late = lane.waiting.filter(isLate);
      lane.waiting = lane.waiting.filter((waiting) => !isLate(waiting));
      for (const { reject } of late) {
        reject(new DatabaseUnavailable(new Error(`not begun within ${MAX_WAIT_MS} ms`)));
      }
      const [oldest] = lane.waiting;
      lane.expiry = oldest && setTimeout(expire, oldest.deadline - now);
    };
    lane.expiry = setTimeout(expire, MAX_WAIT_MS);
  }
}

import { Logger } from '@nestjs/common';
import { DatabaseUnavailable } from '../../common/problem/errors.ts';
import { logRepeated } from '../../common/repeated-failures.ts';
import { isLockConflict, isUniqueViolation } from '../database-errors.ts';
import { beginBy, Lanes, type LanesOptions, type Outcome } from './lanes.ts';

export type { Outcome } from './lanes.ts';

/** The outcome of a write; `'retry'` if it lost a race, and nothing of it was stored. */
export type Attempt<Result> = Outcome<Result> | 'retry';

export interface SharedWritesOptions<Call, Result> extends Omit<LanesOptions<Call, never>, 'run'> {
  /**
   * Runs calls of one workspace in one transaction. It waits for others only if `isAlone`.
   * @returns the outcome of each in their order
   * @throws the error that makes the whole transaction fail
   */
  run: (
    workspaceId: number,
    calls: readonly Call[],
    isAlone: boolean,
  ) => Promise<readonly Attempt<Result>[]>;
  /** Prepares a call that has lost a race for its next attempt. */
  onRetry?: (call: Call) => void;
  /** Is told of each call that has succeeded, once it is committed. */
  onDone: (workspaceId: number, result: Result) => void;
}

/*
 * A process has DATABASE_POOL_SIZE connections, ten by default. One workspace uses at most three for writes, three for
 * rotations, and two for imports: one wave is planned while another is stored. Calls that run alone use two more of each.
 * The smallest pool, of four, leaves one free while waves of one kind run.
 */
export const WRITE_WAVES = 3;
export const BULK_WAVES = 2;
export const BULK_WAVE = 200;
const ALONE_AT_ONCE = 2;
/** Attempts of a call in waves, and then again as many alone. */
const MAX_ATTEMPTS = 3;

/** `'alone'` for a call whose next attempt is one alone. */
type Step<Result> = Attempt<Result> | 'alone';

/**
 * Lets concurrent writes of a workspace share transactions:
 *
 *     join ─▶ lane ─▶ wave: the calls that wait, in one transaction ─▶ outcome
 *              ▲        │
 *              └─retry──┤ the call lost a race, up to three times
 *                       │ the wave failed: its halves run, until the failing call is by itself
 *                       ▼
 *             lane of calls alone: a transaction each, which waits for locks ─▶ outcome
 *
 * A call that runs alone delays those of its own key only.
 */
export class SharedWrites<Call, Result> {
  private readonly logger = new Logger(SharedWrites.name);
  private readonly together: Lanes<Call, Step<Result>>;
  private readonly alone: Lanes<Call, Step<Result>>;

  constructor(private readonly options: SharedWritesOptions<Call, Result>) {
    this.together = new Lanes({
      ...options,
      run: (workspaceId, calls) => this.run(workspaceId, calls),
    });
    this.alone = new Lanes({
      run: (workspaceId, calls) => this.runAlone(workspaceId, calls),
      keyOf: options.keyOf,
      maxWave: 1,
      wavesAtOnce: ALONE_AT_ONCE,
    });
  }

  /**
   * @throws DatabaseUnavailable if the write does not start in time, alone at the latest, or loses every race; else the
   *   error of its outcome
   */
  async join(workspaceId: number, call: Call): Promise<Result> {
    const deadline = beginBy();
    const first = await this.together.join(workspaceId, call, deadline);
    return this.finish(workspaceId, call, deadline, first);
  }

  /** Joins several calls at once. @returns their outcomes in order, with the errors that `join` throws */
  async joinAll(workspaceId: number, calls: readonly Call[]): Promise<Outcome<Result>[]> {
    if (calls.length === 0) return [];
    const deadline = beginBy();
    const first = await this.together.joinAll(workspaceId, calls, deadline);
    const outcomes: Outcome<Result>[] = [];
    const repeated: Promise<void>[] = [];
    for (const [index, attempt] of first.entries()) {
      if ('error' in attempt) outcomes[index] = attempt;
      else if (typeof attempt.value === 'object') outcomes[index] = attempt.value;
      else {
        const finished = this.finish(workspaceId, calls[index]!, deadline, attempt.value).then(
          (value) => void (outcomes[index] = { value }),
          (error: unknown) => void (outcomes[index] = { error }),
        );
        repeated.push(finished);
      }
    }
    await Promise.all(repeated);
    return outcomes;
  }

  /** Repeats a call until it has an outcome. @param first the step of its first attempt */
  private async finish(
    workspaceId: number,
    call: Call,
    deadline: number,
    first: Step<Result>,
  ): Promise<Result> {
    let lane = this.together;
    let step = first;
    for (let attempt = 1; attempt <= 2 * MAX_ATTEMPTS; attempt++) {
      if (attempt > 1) step = await lane.join(workspaceId, call, deadline, true);
      if (typeof step === 'object') {
        if ('error' in step) throw step.error;
        return step.value;
      }
      if (step === 'alone' || attempt === MAX_ATTEMPTS) lane = this.alone;
    }
    throw new DatabaseUnavailable(new Error('lost every race for one row'));
  }

  /** Never rejects: a committed half stands, whatever the outcome of the other. */
  private async run(workspaceId: number, calls: readonly Call[]): Promise<readonly Step<Result>[]> {
    try {
      return await this.attempt(workspaceId, calls, false);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) {
        // A call waits for a lock: alone, it delays only calls of its own key.
        return calls.map(() => (isLockConflict(error.cause) ? 'alone' : { error }));
      }
      // Callers cause it: two of them bring the same token, or the same key.
      if (!isUniqueViolation(error)) {
        const msg = 'a shared write has failed';
        logRepeated(this.logger, 'warn', { msg, calls: calls.length, err: error });
      }
      if (calls.length === 1) return ['alone'];
      const half = Math.ceil(calls.length / 2);
      return [
        ...(await this.run(workspaceId, calls.slice(0, half))),
        ...(await this.run(workspaceId, calls.slice(half))),
      ];
    }
  }

  private async runAlone(
    workspaceId: number,
    calls: readonly Call[],
  ): Promise<readonly Step<Result>[]> {
    try {
      return await this.attempt(workspaceId, calls, true);
    } catch (error) {
      return [isUniqueViolation(error) ? 'retry' : { error }];
    }
  }

  private async attempt(
    workspaceId: number,
    calls: readonly Call[],
    isAlone: boolean,
  ): Promise<readonly Attempt<Result>[]> {
    const attempts = await this.options.run(workspaceId, calls, isAlone);
    for (const [index, attempt] of attempts.entries()) {
      if (attempt === 'retry') this.options.onRetry?.(calls[index]!);
      else if ('value' in attempt) this.options.onDone(workspaceId, attempt.value);
    }
    return attempts;
  }
}

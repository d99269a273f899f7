import { Logger } from '@nestjs/common';
import { DatabaseUnavailable } from '../common/errors.ts';
import { logRepeated } from '../common/repeated-failures.ts';
import { isLockConflict } from './database-errors.ts';
import { beginBy, Lanes, type LanesOptions, type Outcome } from './lanes.ts';

export interface SharedWritesOptions<Call, Answer> extends Pick<
  LanesOptions<Call, Answer>,
  'maxWave' | 'wavesAtOnce'
> {
  keyOf: (call: Call) => string;
  /**
   * Runs calls of one workspace, each with another key, in one transaction that waits for no other.
   * @returns the outcome of each in their order; undefined for one that has to go alone
   * @throws what makes the whole transaction fail
   */
  together: (
    workspaceId: number,
    calls: readonly Call[],
  ) => Promise<readonly (Outcome<Answer> | undefined)[]>;
  /** Whether it is callers who make a transaction fail so, and no operator need know. */
  isExpected?: (error: unknown) => boolean;
  /** Runs one call in a transaction that waits for others. */
  alone: (workspaceId: number, call: Call) => Promise<Answer>;
}

/** How many waves of a workspace go at once: while the database works on one, the process does on another. */
export const WRITE_WAVES = 3;
const ALONE_AT_ONCE = 2;

/** The outcome of a call in a wave that nothing of it was stored by: it has to go alone. */
const ALONE = Symbol('alone');

/**
 * Lets concurrent writes of a workspace share transactions. A call that would wait for another
 * transaction goes alone, behind those of its own key only. A transaction that fails is tried again in
 * halves, until the call that makes it fail is by itself: it costs its neighbours little.
 */
export class SharedWrites<Call, Answer> {
  private readonly logger = new Logger(SharedWrites.name);
  private readonly together: Lanes<Call, Answer | typeof ALONE>;
  private readonly alone: Lanes<Call, Answer>;

  constructor(private readonly options: SharedWritesOptions<Call, Answer>) {
    const { keyOf, maxWave, wavesAtOnce } = options;
    const run = (workspaceId: number, calls: readonly Call[]) => this.run(workspaceId, calls);
    this.together = new Lanes({ run, keyOf, maxWave, wavesAtOnce });
    this.alone = new Lanes({
      run: (workspaceId, [call]) => options.alone(workspaceId, call!).then((value) => [{ value }]),
      keyOf,
      maxWave: 1,
      wavesAtOnce: ALONE_AT_ONCE,
    });
  }

  /**
   * @throws DatabaseUnavailable if the write does not begin in time, alone at the latest; else the outcome
   *   that the options give
   */
  async join(workspaceId: number, call: Call): Promise<Answer> {
    const deadline = beginBy();
    const outcome = await this.together.join(workspaceId, call, deadline);
    return outcome === ALONE ? this.alone.join(workspaceId, call, deadline) : outcome;
  }

  /** Never rejects: what one half has committed stands whatever becomes of the other. */
  private async run(
    workspaceId: number,
    calls: readonly Call[],
  ): Promise<Outcome<Answer | typeof ALONE>[]> {
    const goAlone = () => ({ value: ALONE }) as const;
    try {
      const outcomes = await this.options.together(workspaceId, calls);
      return calls.map((_call, index) => outcomes[index] ?? goAlone());
    } catch (error) {
      if (error instanceof DatabaseUnavailable) {
        // One of them waits for a lock: alone, it keeps nobody waiting but those of its own key.
        return isLockConflict(error.cause) ? calls.map(goAlone) : calls.map(() => ({ error }));
      }
      if (!this.options.isExpected?.(error)) {
        const msg = 'a shared write has failed';
        logRepeated(this.logger, 'warn', { msg, calls: calls.length, err: error });
      }
      if (calls.length === 1) return calls.map(goAlone);
      const half = Math.ceil(calls.length / 2);
      return [
        ...(await this.run(workspaceId, calls.slice(0, half))),
        ...(await this.run(workspaceId, calls.slice(half))),
      ];
    }
  }
}

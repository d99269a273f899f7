import type { EntityManager, QueryRunner } from 'typeorm';
import {
  type Expected,
  type Extension,
  ExtensionFailed,
} from '../../../platform/common/extension/extensions.ts';
import { type Given, portOfMany } from '../../../platform/common/extension/ports.ts';
import { ChangeRefused } from '../group/user-group.errors.ts';
import {
  isUniqueViolation,
  translateDatabaseError,
} from '../../../platform/database/database-errors.ts';
import { GuardedTurns } from './guarded-turns.ts';
import {
  UserGroupChangeGuard,
  type UserGroupChangeRefusal,
  type UserGroupChangeRequest,
  type UserGroupChangeTransaction,
} from './user-group-change-guard.ts';

/** Time limit of all guards together: locks are held meanwhile, and callers wait for their response. */
const LIMIT_MS = 1500;

/** Asks the guards of all extensions, in their order. */
export class UserGroupChangeVeto {
  /** False without any guard; then nothing need be prepared. */
  readonly hasGuards: boolean;
  private readonly turns = new GuardedTurns();

  constructor(private readonly guards: readonly Given<UserGroupChangeGuard>[]) {
    this.hasGuards = guards.length > 0;
  }

  /** Runs work whose transaction asks. @throws ExtensionUnavailable if it cannot begin in time; errors of `work` */
  inTurn<T>(workspaceId: number, work: () => Promise<T>): Promise<T> {
    return this.hasGuards ? this.turns.take(workspaceId, work) : work();
  }

  /**
   * Asks about changes before they are stored. If a guard refuses a change, the guards after it are not asked about it,
   * the writes of the guards before it are rolled back, and they are asked about the rest again.
   * @returns the error for each refused change
   * @throws ExtensionUnavailable if the guards do not return in time; ExtensionFailed; errors of a guard; then nothing
   *   of the transaction may be committed
   */
  async ask(
    changes: readonly UserGroupChangeRequest[],
    { manager, workspaceId }: UserGroupChangeTransaction,
  ): Promise<Map<UserGroupChangeRequest, ChangeRefused>> {
    const refused = new Map<UserGroupChangeRequest, ChangeRefused>();
    const endsAt = performance.now() + LIMIT_MS;
    const runner = manager.queryRunner!;
    for (;;) {
      const asked = changes.filter((change) => !refused.has(change));
      if (asked.length === 0) return refused;
      if (this.guards.length > 1) await runner.startTransaction();
      const isDone = await this.askInOrder(asked, refused, { manager, workspaceId }, endsAt);
      if (this.guards.length > 1) {
        await (isDone ? runner.commitTransaction() : runner.rollbackTransaction());
      }
      if (isDone) return refused;
    }
  }

  /** @returns whether no guard has accepted a change that one after it refuses */
  private async askInOrder(
    asked: readonly UserGroupChangeRequest[],
    refused: Map<UserGroupChangeRequest, ChangeRefused>,
    { manager, workspaceId }: UserGroupChangeTransaction,
    endsAt: number,
  ): Promise<boolean> {
    let left = asked;
    for (const [index, { extension, implementation }] of this.guards.entries()) {
      const changesLeft = left;
      const refusals = await inItsTime(
        extension,
        manager,
        endsAt,
        (own) => implementation.beforeChange(changesLeft, { manager: own, workspaceId }),
        refusalsOf(changesLeft),
      );
      for (const { change, detail } of refusals) {
        refused.set(change, new ChangeRefused(detail));
      }
      if (refusals.length > 0 && index > 0) return false;
      left = left.filter((change) => !refused.has(change));
      if (left.length === 0) break;
    }
    return true;
  }
}

/** @throws ExtensionUnavailable after `endsAt`; later calls of the manager fail */
async function inItsTime<T>(
  extension: Extension,
  manager: EntityManager,
  endsAt: number,
  ask: (manager: EntityManager) => unknown,
  expected: Expected<T>,
): Promise<T> {
  const { proxy, revoke } = Proxy.revocable<QueryRunner>(manager.queryRunner!, {
    get: (runner, key) => (key === 'manager' ? own : (Reflect.get(runner, key) as unknown)),
  });
  const own = manager.dataSource.createEntityManager(proxy);
  try {
    const limitMs = endsAt - performance.now();
    return await extension.within('beforeChange', limitMs, () => ask(own), expected);
  } catch (error) {
    revoke();
    const cause = error instanceof ExtensionFailed ? error.cause : undefined;
    // Errors of the database in a statement of the guard are handled like those of any other statement.
    const isOfDatabase = isUniqueViolation(cause) || translateDatabaseError(cause) !== cause;
    throw isOfDatabase ? cause : error;
  }
}

/** Requires each refusal to name one of the changes, itself: a copy in its place would let it through. */
function refusalsOf(
  changes: readonly UserGroupChangeRequest[],
): Expected<readonly UserGroupChangeRefusal[]> {
  const isRefusal = (one: Partial<UserGroupChangeRefusal> | null | undefined) =>
    changes.some((change) => change === one?.change) && typeof one?.detail === 'string';
  return {
    is: (refusals): refusals is UserGroupChangeRefusal[] =>
      Array.isArray(refusals) && refusals.every(isRefusal),
    what: 'a list of refusals, each with one of the changes that it was given and a detail',
  };
}

/** Provides the veto, with the guards of all extensions. */
export const changeGuardPort = portOfMany(
  UserGroupChangeGuard,
  UserGroupChangeVeto,
  (guards) => new UserGroupChangeVeto(guards),
);

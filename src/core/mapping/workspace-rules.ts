import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { DatabaseUnavailable } from '../../platform/common/problem/errors.ts';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import {
  parseUserGroupRules,
  type UserGroupRules,
  userGroupRulesColumn,
} from './user-group-rules.ts';

interface OfWorkspace {
  workspaceId: number;
}

/** The rules of a workspace as they were read. */
export interface KnownRules {
  rules: UserGroupRules;
  /** Grows with each change of the rules. */
  version: number;
}

interface RulesRow {
  rules: string | null;
  version: number;
}

const findRules = statement<OfWorkspace, RulesRow>(
  'workspace-rules.find',
  (dialect) => `
    SELECT ${userGroupRulesColumn(dialect)} AS rules, w.rules_version AS version
    FROM workspace w WHERE w.id = :workspaceId`,
);

const tryLockShared = statement<OfWorkspace, { isLocked: boolean | 0 | 1 }>(
  'workspace-rules.try-lock-shared',
  (dialect) => `SELECT ${dialect.tryLockShared(':workspaceId')} AS "isLocked"`,
);

const lockExclusive = statement<OfWorkspace, object>('workspace-rules.lock-exclusive', (dialect) =>
  dialect.lockExclusive(':workspaceId'),
);

/** Locks the row more strongly than it would itself: a statement that has begun before it sees the new version then. */
const renumber = statement<OfWorkspace>(
  'workspace-rules.renumber',
  ({ lockRows }) => `
    UPDATE workspace SET rules_version = rules_version + 1
    WHERE id = (SELECT w.id FROM workspace w WHERE w.id = :workspaceId ${lockRows('w', 'UPDATE')})`,
);

/** Interval between attempts to acquire the lock; each is one trivial statement. */
const RETRY_MS = 50;
/** Limit in milliseconds that leaves time for a call's other waits: it gets a response within five seconds. */
export const RULES_LOCK_LIMIT = { waitMs: 3000 };
const MAX_REMEMBERED = 10_000;
/** Limits the time until the service applies rules that are changed by SQL, without a new version. */
const REMEMBERED_MS = 750;

/** Leaves the connection usable, unlike an error of the database. */
class RulesInChange extends Error {
  override readonly message = 'the rules of the workspace are being changed';
}

/**
 * Reads and locks the rules of workspaces. Each write of a user group is stored under the shared lock of its workspace's
 * rules, and only if they still have the version that it was planned by. A change of the rules, or the deletion of
 * something that mappings refer to, holds the exclusive lock and gives them the next version. No write can thus slip in
 * between check and commit.
 */
@Injectable()
export class WorkspaceRules {
  private readonly remembered = new LRUCache<number, KnownRules>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
  });

  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /** @param manager of the transaction to read in, if there is one */
  async read(workspaceId: number, manager?: EntityManager): Promise<UserGroupRules> {
    return (await this.find(workspaceId, manager)).rules;
  }

  /**
   * Returns the rules of a version that was just read, or those that have replaced them. A write checks their version
   * when it is stored.
   * @param manager of the transaction to read in, if there is one
   */
  async at(workspaceId: number, version: number, manager?: EntityManager): Promise<KnownRules> {
    const remembered = this.remembered.get(workspaceId);
    if (remembered?.version === version) return remembered;
    const askedAt = performance.now();
    const found = await this.find(workspaceId, manager);
    this.remembered.set(workspaceId, found, { start: askedAt });
    return found;
  }

  /**
   * Runs `work` in a transaction with the shared lock, so that the rules stay the same until it ends. Waits for a
   * change of the rules without occupying a database connection. `work` locks rows only under this lock: in another
   * order two transactions could deadlock.
   * @throws DatabaseUnavailable if a change takes too long
   */
  async runWithSharedLock<T>(
    workspaceId: number,
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    for (const deadline = performance.now() + RULES_LOCK_LIMIT.waitMs; ;) {
      try {
        return await this.transactor.run(async (manager) => {
          const [lock] = await this.statements.run(manager, tryLockShared, { workspaceId });
          if (!lock?.isLocked) throw new RulesInChange();
          return work(manager);
        });
      } catch (error) {
        if (!(error instanceof RulesInChange)) throw error;
        if (performance.now() >= deadline) throw new DatabaseUnavailable(error);
        await sleep(RETRY_MS);
      }
    }
  }

  /**
   * Waits for the exclusive lock, which lasts until the transaction ends, gives the rules their next version, and reads
   * them as they are so far.
   */
  async lockExclusive(manager: EntityManager, workspaceId: number): Promise<UserGroupRules> {
    await this.statements.run(manager, lockExclusive, { workspaceId });
    await this.statements.run(manager, renumber, { workspaceId });
    return this.read(workspaceId, manager);
  }

  private async find(workspaceId: number, manager?: EntityManager): Promise<KnownRules> {
    const [row] = await this.statements.read(findRules, { workspaceId }, manager);
    return { rules: parseUserGroupRules(row!.rules), version: row!.version };
  }
}

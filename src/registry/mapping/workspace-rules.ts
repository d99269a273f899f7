import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { DatabaseUnavailable } from '../../common/errors.ts';
import { statement } from '../../database/statement.ts';
import { settled, Statements } from '../../database/statements.ts';
import { Transactor } from '../../database/transactor.ts';
import {
  parseUserGroupRules,
  type UserGroupRules,
  userGroupRulesColumn,
} from './user-group-rules.ts';

interface OfWorkspace {
  workspaceId: number;
}

const findRules = statement<OfWorkspace, { rules: string | null }>(
  'workspace-rules.find',
  (dialect) =>
    `SELECT ${userGroupRulesColumn(dialect)} AS rules FROM workspace w WHERE w.id = :workspaceId`,
);

const findRegistered = statement<OfWorkspace, { id: number }>(
  'workspace-rules.find-registered',
  () => `
    SELECT * FROM (SELECT id FROM registered_schema WHERE workspace_id = :workspaceId LIMIT 1) s
    UNION ALL
    SELECT * FROM (SELECT id FROM registered_data_source WHERE workspace_id = :workspaceId LIMIT 1) d`,
);

const tryLockShared = statement<OfWorkspace, { isLocked: boolean | 0 | 1 }>(
  'workspace-rules.try-lock-shared',
  (dialect) => dialect.tryLockShared(':workspaceId'),
);

const lockExclusive = statement<OfWorkspace, object>('workspace-rules.lock-exclusive', (dialect) =>
  dialect.lockExclusive(':workspaceId'),
);

/** The interval between attempts to take the lock of changed rules; each is one trivial statement. */
const RETRY_MS = 50;
/** Leaves time for a call's other waits, so that it is answered within five seconds. */
const LONGEST_WAIT_MS = 3000;

/** Leaves the connection usable, unlike an error of the database. */
class RulesInChange extends Error {
  override readonly message = 'the rules of the workspace are being changed';
}

/**
 * Reads and locks the rules of workspaces. Each write of a user group holds the shared lock of its
 * workspace's rules; a change of the rules, or the deletion of something that mappings refer to,
 * takes the exclusive one. So no write slips through between check and commit.
 */
@Injectable()
export class WorkspaceRules {
  /** By workspace, while its rules are being changed: resolves when the shared lock can be taken again. */
  private readonly changes = new Map<number, Promise<void>>();

  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /** Reads the rules as committed. */
  async read(workspaceId: number): Promise<UserGroupRules> {
    const [row] = await this.statements.read(findRules, { workspaceId });
    return parseUserGroupRules(row?.rules ?? null);
  }

  /** Whether the workspace has registered anything that a mapping could name. */
  async hasRegistry(workspaceId: number): Promise<boolean> {
    return (await this.statements.read(findRegistered, { workspaceId })).length > 0;
  }

  /**
   * Runs `work` in a transaction that holds the shared lock, so that the rules stay as they are until
   * it ends. While they are being changed this waits without occupying a database connection. `work`
   * locks rows only under this lock: in another order two transactions could deadlock.
   * @throws DatabaseUnavailable if they are being changed for longer than `waitMs`
   */
  async runWithSharedLock<T>(
    workspaceId: number,
    work: (manager: EntityManager, rules: UserGroupRules) => Promise<T>,
    waitMs = LONGEST_WAIT_MS,
  ): Promise<T> {
    for (const deadline = performance.now() + waitMs; ;) {
      try {
        return await this.transactor.run(async (manager) =>
          work(manager, await this.lockShared(manager, workspaceId)),
        );
      } catch (error) {
        if (!(error instanceof RulesInChange)) throw error;
        if (performance.now() >= deadline) throw new DatabaseUnavailable(error);
        await this.untilFree(workspaceId, deadline);
      }
    }
  }

  /** Waits for the exclusive lock, which lasts until the transaction ends, and reads the rules. */
  async lockExclusive(manager: EntityManager, workspaceId: number): Promise<UserGroupRules> {
    await this.statements.run(manager, lockExclusive, { workspaceId });
    return this.readInTransaction(manager, workspaceId);
  }

  /**
   * Takes the shared lock. Reads the rules in a statement of its own, sent along with it: the one
   * that takes the lock would see the rules as they were before.
   * @throws RulesInChange at once
   */
  private async lockShared(manager: EntityManager, workspaceId: number): Promise<UserGroupRules> {
    const locking = this.statements.run(manager, tryLockShared, { workspaceId });
    const reading = this.readInTransaction(manager, workspaceId);
    await settled([locking, reading]);
    const [lock] = await locking;
    if (!lock?.isLocked) throw new RulesInChange();
    return reading;
  }

  private async readInTransaction(
    manager: EntityManager,
    workspaceId: number,
  ): Promise<UserGroupRules> {
    const [row] = await this.statements.run(manager, findRules, { workspaceId });
    return parseUserGroupRules(row?.rules ?? null);
  }

  /** Shares one retry loop among all calls that wait for a workspace. */
  private async untilFree(workspaceId: number, deadline: number): Promise<void> {
    let change = this.changes.get(workspaceId);
    if (!change) {
      change = this.retry(workspaceId, deadline).finally(() => this.changes.delete(workspaceId));
      this.changes.set(workspaceId, change);
    }
    await change;
  }

  private async retry(workspaceId: number, deadline: number): Promise<void> {
    while (performance.now() < deadline) {
      await sleep(RETRY_MS);
      const [lock] = await this.statements.read(tryLockShared, { workspaceId });
      if (lock?.isLocked) return;
    }
  }
}

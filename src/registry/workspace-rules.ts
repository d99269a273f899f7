import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { DatabaseUnavailable } from '../common/errors';
import { statement, Statements } from '../database/statement';
import { Transactor } from '../database/transactor';
import { readRules, type Rules, rulesColumn } from './rules';

interface OfWorkspace {
  workspaceId: number;
}

const findRules = statement<OfWorkspace, { rules: string | null }>(
  'workspace-rules.find',
  (dialect) => `SELECT ${rulesColumn(dialect)} AS rules FROM workspace w WHERE w.id = :workspaceId`,
);

const tryLockTogether = statement<OfWorkspace, { isLocked: boolean | 0 | 1 }>(
  'workspace-rules.try-lock-together',
  (dialect) => dialect.tryLockTogether(':workspaceId'),
);

const lockAlone = statement<OfWorkspace, object>('workspace-rules.lock-alone', (dialect) =>
  dialect.lockAlone(':workspaceId'),
);

/** Between two looks whether the rules can be had again; each is one statement of no length. */
const LOOK_AGAIN_MS = 50;
/** With what a call waits for besides it is answered within five seconds. */
const LONGEST_WAIT_MS = 3000;

/** Not an error of the database: its connection is as good as before. */
class RulesInChange extends Error {
  override readonly message = 'the rules of the workspace are being changed';
}

/**
 * The rules of workspaces. Writes of user groups hold them, and whoever changes them, or deletes
 * what mappings refer to, locks them first: no write slips through between check and commit.
 */
@Injectable()
export class WorkspaceRules {
  /** By workspace, while its rules are being changed: resolves when they can be had again. */
  private readonly changes = new Map<number, Promise<void>>();

  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /** The rules as committed. */
  async of(workspaceId: number): Promise<Rules> {
    const [row] = await this.statements.read(findRules, { workspaceId });
    return readRules(row?.rules ?? null);
  }

  /**
   * Runs `work` in a transaction that holds the rules, which stay as they are until it ends. While
   * they are being changed it waits, without a connection to the database: nobody else waits for that
   * reason. `work` locks its rows after that, or two transactions could wait for each other.
   * @throws DatabaseUnavailable if they are being changed for longer than `waitMs`
   */
  async runHolding<T>(
    workspaceId: number,
    work: (manager: EntityManager, rules: Rules) => Promise<T>,
    waitMs = LONGEST_WAIT_MS,
  ): Promise<T> {
    for (const deadline = performance.now() + waitMs; ;) {
      try {
        return await this.transactor.run(async (manager) =>
          work(manager, await this.hold(manager, workspaceId)),
        );
      } catch (error) {
        if (!(error instanceof RulesInChange)) throw error;
        if (performance.now() >= deadline) throw new DatabaseUnavailable(error);
        await this.untilFree(workspaceId, deadline);
      }
    }
  }

  /** The rules, which no other transaction holds until this one ends; waits for those that do. */
  async lock(manager: EntityManager, workspaceId: number): Promise<Rules> {
    await this.statements.run(manager, lockAlone, { workspaceId });
    return this.read(manager, workspaceId);
  }

  /** @throws RulesInChange at once */
  private async hold(manager: EntityManager, workspaceId: number): Promise<Rules> {
    const [lock] = await this.statements.run(manager, tryLockTogether, { workspaceId });
    if (!lock?.isLocked) throw new RulesInChange();
    return this.read(manager, workspaceId);
  }

  /** After the lock: the statement that waited for it would still see the rules as they were before. */
  private async read(manager: EntityManager, workspaceId: number): Promise<Rules> {
    const [row] = await this.statements.run(manager, findRules, { workspaceId });
    return readRules(row?.rules ?? null);
  }

  /** However many wait, one of them looks. */
  private async untilFree(workspaceId: number, deadline: number): Promise<void> {
    let change = this.changes.get(workspaceId);
    if (!change) {
      change = this.look(workspaceId, deadline).finally(() => this.changes.delete(workspaceId));
      this.changes.set(workspaceId, change);
    }
    await change;
  }

  private async look(workspaceId: number, deadline: number): Promise<void> {
    while (performance.now() < deadline) {
      await sleep(LOOK_AGAIN_MS);
      const [lock] = await this.statements.read(tryLockTogether, { workspaceId });
      if (lock?.isLocked) return;
    }
  }
}

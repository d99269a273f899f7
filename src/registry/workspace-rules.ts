import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { statement, Statements } from '../database/statement';
import { readRules, type Rules, rulesColumn } from './rules';

interface OfWorkspace {
  workspaceId: number;
}

const findRules = statement<OfWorkspace, { rules: string | null }>(
  'workspace-rules.find',
  (dialect) => `SELECT ${rulesColumn(dialect)} AS rules FROM workspace w WHERE w.id = :workspaceId`,
);

const lockTogether = statement<OfWorkspace, object>('workspace-rules.lock-together', (dialect) =>
  dialect.lockTogether(':workspaceId'),
);

const lockAlone = statement<OfWorkspace, object>('workspace-rules.lock-alone', (dialect) =>
  dialect.lockAlone(':workspaceId'),
);

/**
 * The rules of workspaces. Writes of user groups hold them, and whoever changes them, or deletes
 * what mappings refer to, locks them first: no write slips through between check and commit.
 */
@Injectable()
export class WorkspaceRules {
  constructor(private readonly statements: Statements) {}

  /** The rules as committed. */
  async of(workspaceId: number): Promise<Rules> {
    const [row] = await this.statements.read(findRules, { workspaceId });
    return readRules(row?.rules ?? null);
  }

  /**
   * The rules, which stay as they are until the transaction ends. To be asked for before any row is
   * locked, or two transactions could wait for each other.
   */
  hold(manager: EntityManager, workspaceId: number): Promise<Rules> {
    return this.readBehind(lockTogether, manager, workspaceId);
  }

  /** As `hold`, and no other transaction holds them meanwhile. */
  lock(manager: EntityManager, workspaceId: number): Promise<Rules> {
    return this.readBehind(lockAlone, manager, workspaceId);
  }

  /** Two statements: the one that waited would still see the rules as they were before the wait. */
  private async readBehind(
    lock: typeof lockAlone,
    manager: EntityManager,
    workspaceId: number,
  ): Promise<Rules> {
    await this.statements.run(manager, lock, { workspaceId });
    const [row] = await this.statements.run(manager, findRules, { workspaceId });
    return readRules(row?.rules ?? null);
  }
}

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { statement } from '../../database/statement.ts';
import { Statements } from '../../database/statements.ts';
import type { UserGroupRules } from '../../registry/mapping/user-group-rules.ts';

interface OfWorkspace {
  workspaceId: number;
}

const lockCount = statement<OfWorkspace, { count: number }>(
  'user-group-quota.lock-count',
  ({ lockRows }) => `
    SELECT w.user_group_count AS count FROM workspace w WHERE w.id = :workspaceId ${lockRows('w')}`,
);

const addToCount = statement<OfWorkspace & { added: number }>(
  'user-group-quota.add-to-count',
  () => `
    UPDATE workspace SET user_group_count = user_group_count + CAST(:added AS integer)
    WHERE id = :workspaceId`,
);

/**
 * Counts the groups of workspaces that have a quota, and of no others. The caller holds the rules of the
 * workspace, so that no quota is set meanwhile. It locks the count before any group: in another order
 * two transactions could deadlock.
 */
@Injectable()
export class UserGroupQuota {
  constructor(private readonly statements: Statements) {}

  /** Locks the count until the transaction ends. @returns how many groups may still be created */
  async lockRoom(
    manager: EntityManager,
    workspaceId: number,
    { userGroupQuota }: UserGroupRules,
  ): Promise<number> {
    if (userGroupQuota === null) return Infinity;
    const [row] = await this.statements.run(manager, lockCount, { workspaceId });
    return Math.max(userGroupQuota - row!.count, 0);
  }

  /** Adds to the count, or takes from it, under the lock of `lockRoom`. */
  async add(
    manager: EntityManager,
    workspaceId: number,
    { userGroupQuota }: UserGroupRules,
    added: number,
  ): Promise<void> {
    if (userGroupQuota === null || added === 0) return;
    await this.statements.run(manager, addToCount, { workspaceId, added });
  }
}

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UserGroupQuotaReached } from '../common/errors';
import { statement, Statements } from '../database/statement';
import type { Rules } from '../registry/rules';

interface OfWorkspace {
  workspaceId: number;
}

const countOne = statement<OfWorkspace, { id: number }>(
  'user-group-quota.count-one',
  () => `
    UPDATE workspace SET user_group_count = user_group_count + 1
    WHERE id = :workspaceId AND user_group_count < user_group_quota
    RETURNING id`,
);

const giveOneBack = statement<OfWorkspace>(
  'user-group-quota.give-one-back',
  () => 'UPDATE workspace SET user_group_count = user_group_count - 1 WHERE id = :workspaceId',
);

/**
 * Keeps count of the groups of workspaces that have a quota; of others nothing is counted. Who counts
 * holds the rules of the workspace, so that no quota is set meanwhile, and makes others who count
 * wait until its transaction ends.
 */
@Injectable()
export class UserGroupQuota {
  constructor(private readonly statements: Statements) {}

  /** To be asked before the group is inserted. @throws UserGroupQuotaReached, and has written nothing then */
  async take(manager: EntityManager, workspaceId: number, rules: Rules): Promise<void> {
    const { userGroupQuota } = rules;
    if (userGroupQuota === null) return;
    const counted = await this.statements.run(manager, countOne, { workspaceId });
    if (counted.length === 0) throw new UserGroupQuotaReached(userGroupQuota);
  }

  /** A group has gone, or did not come to be. */
  async giveBack(manager: EntityManager, workspaceId: number, rules: Rules): Promise<void> {
    if (rules.userGroupQuota === null) return;
    await this.statements.run(manager, giveOneBack, { workspaceId });
  }
}

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../audit/audit-log';
import { type Caller, requireScope } from '../common/caller';
import { DatabaseUnavailable, TokenNotUsable } from '../common/errors';
import { hashToken } from '../common/secrets';
import { UserGroupTokenRepository } from './user-group-token.repository';
import { UserGroupTokenService } from './user-group-token.service';

/** Makes tokens that were issued elsewhere the tokens of groups. */
@Injectable()
export class ImportedTokens {
  constructor(
    private readonly tokens: UserGroupTokenRepository,
    private readonly issuer: UserGroupTokenService,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Whoever chooses a token, of a new group as of a known one, does what `tokens:rotate` is for: else
   * a group could be deleted and imported anew with a token that a rotation had ended, which nothing
   * remembers any more. Nothing is told of the tokens of other workspaces: the caller may have guessed one.
   * @throws InsufficientScope for who may not rotate
   * @throws TokenNotUsable if the value is or was the token of any group of the workspace
   */
  async requireSettable(manager: EntityManager, caller: Caller, token: string): Promise<void> {
    requireScope(caller, 'tokens:rotate', 'Setting the token of a group');
    const { workspaceId } = caller;
    const isKnown = await this.tokens.isKnown(manager, { workspaceId, hash: hashToken(token) });
    if (isKnown) throw new TokenNotUsable();
  }

  /** As a rotation without an overlap; `manager` has locked the group. */
  async replace(
    manager: EntityManager,
    caller: Caller,
    group: { id: number; providedId: string; token: string },
    details: object,
  ): Promise<void> {
    const { workspaceId, apiTokenId: retiredBy } = caller;
    const { id: userGroupId, providedId, token } = group;
    const which = { workspaceId, userGroupId, validUntil: null, retiredBy };
    const retired = await this.tokens.retireCurrent(manager, which);
    if (!retired) throw new DatabaseUnavailable(new Error('lost a race for one token'));
    const generation = retired.generation + 1;
    await this.issuer.issue(manager, { workspaceId, userGroupId, generation }, token);
    await this.auditLog.record(manager, caller, {
      action: 'user_group_token.rotate',
      object: { type: 'user_group', id: providedId },
      before: { generation: retired.generation },
      after: { generation },
      details: { team_id: userGroupId, grace_period_seconds: 0, ...details },
    });
  }
}

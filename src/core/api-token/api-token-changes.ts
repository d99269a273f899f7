import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller, Scope } from '../../platform/common/access/caller.ts';
import {
  AddressNotAllowed,
  ApiTokenInvalid,
  InsufficientScope,
} from '../../platform/common/problem/errors.ts';
import { currentTime } from '../../platform/common/time.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { type AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { ChangeFeed } from '../change-log/change-feed.ts';
import { type IdempotentCall, IdempotentCalls } from '../idempotency/idempotent-calls.ts';
import { WorkspaceService } from '../workspace/workspace.service.ts';
import type { ApiToken } from './api-token.entity.ts';
import { ApiTokenSuperseded } from './api-token.errors.ts';
import { ApiTokenRepository } from './api-token.repository.ts';
import { hasEnded, isAllowedFrom } from './api-token.rules.ts';

/** A change that is the same however often it is made. */
export const UNKEYED: IdempotentCall = { key: undefined, request: [] };

/** Makes changes of API tokens, one at a time in a workspace; every replica sees each within a second. */
@Injectable()
export class ApiTokenChanges {
  constructor(
    private readonly apiTokens: ApiTokenRepository,
    private readonly transactor: Transactor,
    private readonly workspaces: WorkspaceService,
    private readonly auditLog: AuditLog,
    private readonly feed: ChangeFeed,
    private readonly calls: IdempotentCalls,
  ) {}

  /**
   * Runs one change at a time in a workspace. Reads the caller's own token again: the guard's cached copy may be almost
   * a second old.
   * @throws ApiTokenInvalid, InsufficientScope, AddressNotAllowed, ApiTokenSuperseded
   */
  async run<T extends object>(
    caller: Caller,
    call: IdempotentCall<T>,
    work: (manager: EntityManager, own: ApiToken | undefined) => Promise<T>,
    scope: Scope = 'admin',
  ): Promise<T> {
    const { workspaceId, apiTokenId } = caller;
    const result = await this.transactor.run(async (manager) => {
      await this.workspaces.lock(manager, workspaceId);
      if (apiTokenId === null) return work(manager, undefined);
      const own = await this.apiTokens.get(manager, { workspaceId, id: apiTokenId });
      if (hasEnded(own)) throw new ApiTokenInvalid({ workspaceId, apiTokenId });
      if (!own.scopes.split(' ').includes(scope)) throw new InsufficientScope(scope);
      if (!isAllowedFrom(caller.address, own)) throw new AddressNotAllowed();
      // The holder of an old, stolen token must not be able to end the new one, to outlive it, or to be shown it again.
      if (own.supersededBy !== null) throw new ApiTokenSuperseded();
      return this.calls.within(manager, caller, call, () => work(manager, own));
    });
    this.feed.announce({ workspaceId, of: 'api_tokens' });
    return result;
  }

  /** Ends a token, by a change that `run` makes. */
  async end(manager: EntityManager, caller: Caller, row: ApiToken): Promise<void> {
    row.revokedAt = currentTime();
    await this.apiTokens.update(manager, row);
    await this.record(manager, caller, row, { action: 'api_token.revoke' });
  }

  /** Records a change that `run` makes in the audit log. */
  record(
    manager: EntityManager,
    caller: Caller,
    { id }: { id: number },
    entry: Omit<AuditEntry, 'object'>,
  ): Promise<void> {
    const object = { type: 'api_token', id };
    return this.auditLog.record(manager, caller, { ...entry, object });
  }
}

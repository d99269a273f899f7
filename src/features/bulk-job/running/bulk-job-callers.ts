import { Injectable } from '@nestjs/common';
import { ApiTokenRepository } from '../../../core/api-token/api-token.repository.ts';
import { isAllowedFrom } from '../../../core/api-token/api-token.rules.ts';
import { type Caller, requireScope, type Scope } from '../../../platform/common/access/caller.ts';
import { parseRange } from '../../../platform/common/access/user-group-range.ts';
import { AddressNotAllowed, ApiTokenInvalid } from '../../../platform/common/problem/errors.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { neededFor } from '../../bulk/bulk-change.ts';
import type { Needed } from '../../bulk/bulk-writes.ts';
import { IMPORTING } from '../../bulk/import-lines.ts';
import type { HeldJob } from './bulk-job-leases.ts';

/** Tells by whose rights a job works. */
@Injectable()
export class BulkJobCallers {
  constructor(private readonly tokens: ApiTokenRepository) {}

  /**
   * Returns the caller that created the job, with the rights that its API token has now.
   * @throws ApiTokenInvalid, AddressNotAllowed, InsufficientScope
   */
  async callerOf(job: HeldJob): Promise<Caller> {
    const { workspaceId, apiTokenId, firstTokenId, requestId, address } = job;
    const token = await this.tokens.show({ workspaceId, id: apiTokenId });
    const isExpired = token.expiresAt !== null && token.expiresAt <= currentTime();
    if (token.revokedAt !== null || isExpired) throw new ApiTokenInvalid();
    if (!isAllowedFrom(address, token)) throw new AddressNotAllowed();
    const caller: Caller = {
      workspaceId,
      apiTokenId,
      firstTokenId,
      requestId,
      address,
      scopes: new Set(token.scopes.split(' ') as Scope[]),
      range: parseRange(token.userGroups),
      renew: () => this.callerOf(job),
    };
    for (const [scope, doing] of neededBy(job)) requireScope(caller, scope, doing);
    return caller;
  }
}

const RESTORING: Needed = ['user-groups:write', 'Undoing an import'];

/** Returns the permissions that a job needs for all of its groups. */
function neededBy({ action, ids, undoOf }: HeldJob): Needed[] {
  if (action === 'import') return [IMPORTING];
  if (action === 'restore') return [RESTORING];
  return neededFor(action, ids !== null || undoOf !== null);
}

import type { Scope } from '../../../platform/common/access/caller.ts';
import { entityTagOf } from '../../../platform/common/http/parameters/preconditions.ts';
import { parseRange } from '../../../platform/common/access/user-group-range.ts';
import { currentTime, toWireTime, toWireTimeOrNull } from '../../../platform/common/time.ts';
import type { ShownApiToken } from '../api-token.repository.ts';
import type { ApiTokenState, ApiTokenView } from './api-token-response.dto.ts';

export function toApiTokenView(token: ShownApiToken): ApiTokenView {
  return {
    id: token.id,
    name: token.name,
    last_four: token.lastFour,
    state: stateOf(token),
    scopes: token.scopes.split(' ') as Scope[],
    allowed_cidrs: token.allowedCidrs?.split(' ') ?? null,
    user_groups: parseRange(token.userGroups),
    created_at: toWireTime(token.createdAt),
    expires_at: toWireTimeOrNull(token.expiresAt),
    last_used_at: toWireTimeOrNull(token.lastUsedAt),
    revoked_at: toWireTimeOrNull(token.revokedAt),
    superseded_by_id: token.supersededBy,
    subject: token.subject,
  };
}

/** Returns a weak entity tag: it stays the same when the token is used. */
export function entityTagOfApiToken(view: ApiTokenView): string {
  return `W/${entityTagOf({ ...view, last_used_at: null })}`;
}

/** Returns the fields that the audit log records. */
export function settingsOf(token: ShownApiToken): object {
  const { name, scopes, expires_at, allowed_cidrs, user_groups, last_four } = toApiTokenView(token);
  return { name, scopes, expires_at, allowed_cidrs, user_groups, last_four };
}

function stateOf({ revokedAt, expiresAt, supersededBy }: ShownApiToken): ApiTokenState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= currentTime()) return 'expired';
  return supersededBy === null ? 'active' : 'superseded';
}

import type { Scope } from '../../../platform/common/access/caller.ts';
import type { ServedFeatures } from '../../../platform/common/extension/feature.ts';
import { toWireTime } from '../../../platform/common/time.ts';
import type { StoredSession } from './console-session.repository.ts';
import type { SessionItem, SessionView } from './dto/console-session-response.dto.ts';
import { endOf, idleEndOf } from './session-life.ts';

/** The scopes of the operations that an API token for certain user groups may call, other than those of an administrator. */
const OF_GROUPS: ReadonlySet<Scope> = new Set([
  'user-groups:read',
  'user-groups:write',
  'user-groups:view-as',
  'user-group-tokens:read',
  'tokens:rotate',
  'tokens:introspect',
  'embed-tokens:issue',
]);

export function toSessionView(session: StoredSession, served: ServedFeatures): SessionView {
  const isRestricted = session.userGroups !== null;
  const scopes = scopesOf(session).filter(
    (scope) => !served.unusedScopes.has(scope) && !(isRestricted && !OF_GROUPS.has(scope)),
  );
  // The pages of features are of the whole workspace.
  return { ...toCommonView(session), scopes, features: isRestricted ? [] : served.list() };
}

export function toSessionItem(session: StoredSession, currentId: number): SessionItem {
  return {
    ...toCommonView(session),
    last_used_at: toWireTime(session.lastUsedAt),
    address: session.address,
    user_agent: session.userAgent,
    current: session.id === currentId,
  };
}

export function scopesOf({ scopes }: StoredSession): Scope[] {
  return scopes.split(' ') as Scope[];
}

function toCommonView(session: StoredSession): Omit<SessionView, 'scopes' | 'features'> {
  const { id, workspaceName, apiTokenId, tokenName, subject, createdAt } = session;
  return {
    id: String(id),
    workspace: { name: workspaceName },
    api_token: { id: apiTokenId, name: tokenName },
    subject,
    created_at: toWireTime(createdAt),
    expires_at: toWireTime(endOf(session)),
    idle_expires_at: toWireTime(idleEndOf(session)),
  };
}

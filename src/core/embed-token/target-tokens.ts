import type { AuditAction } from '../audit/audit-actions.ts';
import type { JsonObject } from '../../platform/common/json/strict-json.ts';
import type { UserGroupSnapshot } from '../user-group/snapshot/user-group-snapshot.repository.ts';
import type { EmbedResource } from './embed-token.ts';

/** A group that may have a token now, and what the call says about it. */
export interface TargetGrant {
  group: UserGroupSnapshot;
  user?: { id: string; name?: string; email?: string };
  resources?: readonly EmbedResource[];
  /** Checked with the variables of the workspace. */
  variables?: JsonObject;
  actingFor?: string;
}

/** A target, as it was when it was read. */
export interface OpenTarget {
  /** The audience of a token that the key of the workspace signs; undefined if another key signs. */
  audience?: string;
  maxSeconds: number;
  /** The action of the audit log for a token that nobody asks for on behalf of the group. */
  action: AuditAction;
  /**
   * Signs a token for the tool.
   * @param times seconds since 1970, as RFC 7519 counts them
   * @throws ValidationFailed, or an error of the feature
   */
  sign: (
    grant: TargetGrant,
    times: { iat: number; exp: number },
  ) => Promise<{ token: string; kid: string }>;
}

/** Issues the tokens that tools of a workspace take. A feature provides it. */
export abstract class TargetTokens {
  /** @throws an error of the feature if there is no such target, or its secrets cannot be read */
  abstract open(workspaceId: number, name: string): Promise<OpenTarget>;
}

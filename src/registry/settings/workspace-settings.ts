import { statement } from '../../database/statement.ts';
import type { StoredSettings } from '../../workspace/workspace-settings.repository.ts';
import type { UserGroupRules } from '../mapping/user-group-rules.ts';

/** The settings of a workspace: what it requires of its user groups, and what its embed tokens contain. */
export interface WorkspaceSettings extends Omit<UserGroupRules, 'schemas'> {
  publicId: string;
  /** Null for `EMBED_TOKEN_ISSUER`. */
  embedTokenIssuer: string | null;
  /** The audiences that embed tokens may be issued for; empty for any. */
  embedTokenAudiences: readonly string[];
}

/** Counts the user groups of a workspace. */
export const countUserGroups = statement<{ workspaceId: number }, { count: number }>(
  'workspace-settings.count-user-groups',
  () => `
    SELECT CAST(count(*) AS integer) AS count FROM user_group WHERE workspace_id = :workspaceId`,
);

export function toSettings(rules: UserGroupRules, row: StoredSettings): WorkspaceSettings {
  const { policy, requiredProperties, requiredSchemas, userGroupQuota } = rules;
  const { publicId, embedTokenIssuer, embedTokenAudiences } = row;
  return {
    policy,
    requiredProperties,
    requiredSchemas,
    userGroupQuota,
    publicId,
    embedTokenIssuer,
    embedTokenAudiences: JSON.parse(embedTokenAudiences) as string[],
  };
}

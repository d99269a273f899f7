import { statement } from '../../../platform/database/statement.ts';
import type { StoredSettings } from '../../../core/workspace/workspace-settings.repository.ts';
import type { UserGroupRules } from '../../../core/mapping/user-group-rules.ts';

export interface WorkspaceSettings extends Omit<UserGroupRules, 'schemas'> {
  publicId: string;
  /** Null for the one by default. */
  embedTokenIssuer: string | null;
  /** The allowed audiences of embed tokens; empty allows any. */
  embedTokenAudiences: readonly string[];
  viewAs: StoredSettings['viewAs'];
}

export const countUserGroups = statement<{ workspaceId: number }, { count: number }>(
  'workspace-settings.count-user-groups',
  () => `
    SELECT CAST(count(*) AS integer) AS count FROM user_group WHERE workspace_id = :workspaceId`,
);

export function toSettings(rules: UserGroupRules, row: StoredSettings): WorkspaceSettings {
  return { ...rules, ...row, embedTokenAudiences: JSON.parse(row.embedTokenAudiences) as string[] };
}

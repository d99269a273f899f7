import { statement } from '../database/statement';
import type { Rules } from './rules';

/** What a workspace asks of its user groups, and what its embed tokens say of it. */
export interface WorkspaceSettings extends Omit<Rules, 'schemas'> {
  publicId: string;
  /** Null for `EMBED_TOKEN_ISSUER`. */
  embedTokenIssuer: string | null;
  /** Those that embed tokens may be issued for; empty for any. */
  embedTokenAudiences: readonly string[];
}

interface Row extends Pick<WorkspaceSettings, 'publicId' | 'embedTokenIssuer'> {
  embedTokenAudiences: string;
}

/** What is not in the rules. */
export const findSettings = statement<{ workspaceId: number }, Row>(
  'workspace-settings.find',
  () => `
    SELECT public_id AS "publicId", embed_token_issuer AS "embedTokenIssuer",
      embed_token_audiences AS "embedTokenAudiences"
    FROM workspace WHERE id = :workspaceId`,
);

export const updateSettings = statement<{
  workspaceId: number;
  policy: string;
  requiredProperties: string;
  requiredSchemas: string;
  embedTokenIssuer: string | null;
  embedTokenAudiences: string;
}>(
  'workspace-settings.update',
  () => `
    UPDATE workspace SET mapping_policy = :policy, required_properties = :requiredProperties,
      required_schemas = :requiredSchemas, embed_token_issuer = :embedTokenIssuer,
      embed_token_audiences = :embedTokenAudiences
    WHERE id = :workspaceId`,
);

/** Counts the groups anew; one that is being inserted or deleted meanwhile would be missed. */
export const setUserGroupQuota = statement<{ workspaceId: number; quota: number | null }>(
  'workspace-settings.set-user-group-quota',
  () => `
    UPDATE workspace SET user_group_quota = :quota,
      user_group_count = CASE WHEN CAST(:quota AS integer) IS NOT NULL
        THEN (SELECT count(*) FROM user_group WHERE workspace_id = :workspaceId) END
    WHERE id = :workspaceId`,
);

export function toSettings(rules: Rules, row: Row): WorkspaceSettings {
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

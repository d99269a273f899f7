import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import type { Workspace } from './workspace.entity.ts';

interface OfWorkspace {
  workspaceId: number;
}

/** Settings that are not rules for user groups, as columns. */
export type StoredSettings = Pick<
  Workspace,
  'publicId' | 'embedTokenIssuer' | 'embedTokenAudiences' | 'viewAs'
>;

/** All settings that callers can change, as columns; lists are JSON texts. */
type ChangedSettings = Omit<StoredSettings, 'publicId'> &
  Pick<Workspace, 'variables' | 'requiredSchemas'> &
  OfWorkspace & {
    policy: string;
    /** Time of a change of what groups must have; null if this stays the same. */
    changedAt: number | null;
  };

interface Quota extends OfWorkspace {
  /** Null for no limit. */
  quota: number | null;
  /** Number of groups; null without a quota. */
  count: number | null;
}

const findSettings = statement<OfWorkspace, StoredSettings>(
  'workspace-settings.find',
  () => `
    SELECT public_id AS "publicId", embed_token_issuer AS "embedTokenIssuer",
      embed_token_audiences AS "embedTokenAudiences", view_as AS "viewAs"
    FROM workspace WHERE id = :workspaceId`,
);

const updateSettings = statement<ChangedSettings>(
  'workspace-settings.update',
  () => `
    UPDATE workspace SET mapping_policy = :policy, variables = :variables,
      required_schemas = :requiredSchemas, embed_token_issuer = :embedTokenIssuer,
      embed_token_audiences = :embedTokenAudiences, view_as = :viewAs,
      flaws_unchecked_since = coalesce(CAST(:changedAt AS bigint), flaws_unchecked_since)
    WHERE id = :workspaceId`,
);

const setUserGroupQuota = statement<Quota>(
  'workspace-settings.set-user-group-quota',
  () => `
    UPDATE workspace SET user_group_quota = :quota, user_group_count = :count
    WHERE id = :workspaceId`,
);

@Injectable()
export class WorkspaceSettingsRepository {
  constructor(private readonly statements: Statements) {}

  async read({ workspaceId }: OfWorkspace): Promise<StoredSettings> {
    return (await this.statements.read(findSettings, { workspaceId }))[0]!;
  }

  /** Reads the settings within the transaction of `manager`. */
  async find(manager: EntityManager, { workspaceId }: OfWorkspace): Promise<StoredSettings> {
    return (await this.statements.run(manager, findSettings, { workspaceId }))[0]!;
  }

  async update(manager: EntityManager, settings: ChangedSettings): Promise<void> {
    await this.statements.run(manager, updateSettings, settings);
  }

  async setUserGroupQuota(manager: EntityManager, quota: Quota): Promise<void> {
    await this.statements.run(manager, setUserGroupQuota, quota);
  }
}

import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../../core/audit/audit-log.ts';
import { summarise } from '../../../core/audit/tally/summarise.ts';
import { type Caller, requireScope } from '../../../platform/common/access/caller.ts';
import {
  entityTagOf,
  type Preconditions,
} from '../../../platform/common/http/parameters/preconditions.ts';
import type { JsonObject } from '../../../platform/common/json/strict-json.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { ChangeFeed } from '../../../core/change-log/change-feed.ts';
import { Config } from '../../../platform/config/config.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { resolveRequiredSchemas } from './workspace-settings.rules.ts';
import {
  toWorkspaceView,
  type UpdateWorkspaceRequest,
  type WorkspaceIdentityResponse,
  type WorkspaceResponse,
} from './dto/workspace.dto.ts';
import { fromVariable } from './dto/variable.dto.ts';
import { FlawCheck } from '../../group-checks/flaw-check.ts';
import { MappingPolicySwitch } from '../../group-checks/mapping-policy-switch.ts';
import type { SchemaIds } from '../../../core/mapping/user-group-rules.ts';
import type { DeclaredVariable } from '../../../core/mapping/variables.ts';
import { issuerOf } from '../../../core/workspace/workspace-issuer.ts';
import { WorkspaceSettingsRepository } from '../../../core/workspace/workspace-settings.repository.ts';
import { WorkspaceRules } from '../../../core/mapping/workspace-rules.ts';
import { countUserGroups, toSettings, type WorkspaceSettings } from './workspace-settings.ts';

const listSchemas = statement<{ workspaceId: number }, SchemaIds>(
  'workspace-settings.list-schemas',
  () => `
    SELECT id, provided_id AS "providedId" FROM registered_schema
    WHERE workspace_id = :workspaceId`,
);

/** Administers the settings of workspaces. */
@Injectable()
export class WorkspaceSettingsService {
  constructor(
    private readonly settings: WorkspaceSettingsRepository,
    private readonly rules: WorkspaceRules,
    private readonly policySwitch: MappingPolicySwitch,
    private readonly flaws: FlawCheck,
    private readonly transactor: Transactor,
    private readonly statements: Statements,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly config: Config,
  ) {}

  async get({ workspaceId }: Caller): Promise<WorkspaceResponse> {
    const rules = await this.rules.read(workspaceId);
    const row = await this.settings.read({ workspaceId });
    return { success: 1, workspace: toWorkspaceView(toSettings(rules, row)) };
  }

  async getIdentity({ workspaceId }: Caller): Promise<WorkspaceIdentityResponse> {
    const workspace = await this.settings.read({ workspaceId });
    return {
      success: 1,
      workspace: { id: workspace.publicId, issuer: issuerOf(this.config, workspace) },
    };
  }

  /**
   * Stores every setting that was sent, under the exclusive lock of the rules, so that each write of a group sees
   * either the old or the new rules.
   * @throws ValidationFailed if a required schema is not registered; MappingsUnresolvable, PreconditionFailed
   */
  async update(
    caller: Caller,
    dto: UpdateWorkspaceRequest,
    preconditions?: Preconditions,
  ): Promise<WorkspaceResponse> {
    const { workspaceId } = caller;
    const settings = await this.transactor.run(async (manager) => {
      const rules = await this.rules.lockExclusive(manager, workspaceId);
      const stored = toSettings(rules, await this.settings.find(manager, { workspaceId }));
      preconditions?.require(entityTagOf(toWorkspaceView(stored)));
      const wanted = await this.wantedSettings(manager, workspaceId, stored, dto);
      if (showsSecret(stored.variables, wanted.variables)) {
        requireScope(caller, 'admin', 'Making a secret variable public');
      }
      const [before, after] = differences(stored, wanted);
      if (Object.keys(after).length === 0) return stored;
      await this.store(manager, workspaceId, stored, wanted);
      await this.auditLog.record(manager, caller, {
        action: 'workspace.update',
        object: { type: 'workspace', id: stored.publicId },
        before: summarise(before),
        after: summarise(after),
      });
      return wanted;
    });
    this.changes.announce({ workspaceId, of: 'user_groups' });
    this.flaws.begin();
    return { success: 1, workspace: toWorkspaceView(settings) };
  }

  /**
   * Sets the maximum number of user groups, or null for no limit; for the operator alone. Existing groups beyond it
   * stay. Counts the groups each time, under the exclusive lock of the rules.
   */
  async setUserGroupQuota(caller: Caller, quota: number | null): Promise<void> {
    const { workspaceId } = caller;
    await this.transactor.run(async (manager) => {
      const { userGroupQuota } = await this.rules.lockExclusive(manager, workspaceId);
      const { publicId } = await this.settings.find(manager, { workspaceId });
      const count = quota === null ? null : await this.countUserGroups(manager, workspaceId);
      await this.settings.setUserGroupQuota(manager, { workspaceId, quota, count });
      if (quota === userGroupQuota) return;
      await this.auditLog.record(manager, caller, {
        action: 'workspace.update',
        object: { type: 'workspace', id: publicId },
        before: { user_group_quota: userGroupQuota },
        after: { user_group_quota: quota },
      });
    });
    this.changes.announce({ workspaceId, of: 'user_groups' });
  }

  private async countUserGroups(manager: EntityManager, workspaceId: number): Promise<number> {
    const [row] = await this.statements.run(manager, countUserGroups, { workspaceId });
    return row!.count;
  }

  private async wantedSettings(
    manager: EntityManager,
    workspaceId: number,
    stored: WorkspaceSettings,
    dto: UpdateWorkspaceRequest,
  ): Promise<WorkspaceSettings> {
    const { embed_token_issuer: issuer } = dto;
    const wanted = {
      ...stored,
      policy: dto.mapping_policy ?? stored.policy,
      variables: dto.variables?.map(fromVariable) ?? stored.variables,
      requiredSchemas: dto.required_schemas ?? stored.requiredSchemas,
      embedTokenIssuer: issuer === undefined ? stored.embedTokenIssuer : issuer,
      embedTokenAudiences: dto.embed_token_audiences ?? stored.embedTokenAudiences,
      viewAs: dto.view_as ?? stored.viewAs,
    };
    if (wanted.policy === 'open') return wanted;
    const schemas = await this.statements.run(manager, listSchemas, { workspaceId });
    return { ...wanted, requiredSchemas: resolveRequiredSchemas(wanted.requiredSchemas, schemas) };
  }

  private async store(
    manager: EntityManager,
    workspaceId: number,
    stored: WorkspaceSettings,
    wanted: WorkspaceSettings,
  ): Promise<void> {
    if (stored.policy !== wanted.policy) {
      if (wanted.policy === 'open') await this.policySwitch.toOpen(manager, workspaceId);
      else await this.policySwitch.toRegistered(manager, workspaceId);
    }
    const rulesOf = ({ policy, variables, requiredSchemas }: WorkspaceSettings) => [
      policy,
      variables,
      requiredSchemas,
    ];
    const isSame = isDeepStrictEqual(rulesOf(stored), rulesOf(wanted));
    await this.settings.update(manager, {
      workspaceId,
      policy: wanted.policy,
      variables: JSON.stringify(wanted.variables),
      requiredSchemas: JSON.stringify(wanted.requiredSchemas),
      embedTokenIssuer: wanted.embedTokenIssuer,
      embedTokenAudiences: JSON.stringify(wanted.embedTokenAudiences),
      viewAs: wanted.viewAs,
      changedAt: isSame ? null : currentTime(),
    });
  }
}

/** Tells whether a secret variable is declared no longer, or not as secret: lists then show its values. */
function showsSecret(
  stored: readonly DeclaredVariable[],
  wanted: readonly DeclaredVariable[],
): boolean {
  const secrets = new Set(wanted.filter(({ isSecret }) => isSecret).map(({ name }) => name));
  return stored.some(({ name, isSecret }) => isSecret && !secrets.has(name));
}

function differences(
  stored: WorkspaceSettings,
  wanted: WorkspaceSettings,
): [JsonObject, JsonObject] {
  const was = toJson(stored);
  const is = toJson(wanted);
  const names = Object.keys(is).filter((name) => !isDeepStrictEqual(was[name], is[name]));
  const pick = (from: JsonObject) => Object.fromEntries(names.map((name) => [name, from[name]!]));
  return [pick(was), pick(is)];
}

function toJson(settings: WorkspaceSettings): JsonObject {
  const { variables, ...others } = toWorkspaceView(settings);
  return { ...others, variables: variables.map((variable) => ({ ...variable })) };
}

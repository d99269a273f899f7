import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../core/audit/audit-log.ts';
import { TargetNotFound, TargetSecretUnreadable } from '../target.errors.ts';
import { issuerOf, workspaceUrl } from '../../../core/workspace/workspace-issuer.ts';
import { WorkspaceSettingsRepository } from '../../../core/workspace/workspace-settings.repository.ts';
import { WorkspaceService } from '../../../core/workspace/workspace.service.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import type { PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import {
  entityTagOf,
  type Preconditions,
} from '../../../platform/common/http/parameters/preconditions.ts';
import type { DeletedResponse } from '../../../platform/common/http/responses/response.ts';
import { canonicalJson } from '../../../platform/common/json/canonical-json.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { Config } from '../../../platform/config/config.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import type { PutTargetRequest } from '../definition/put-target.dto.ts';
import {
  type TargetResponse,
  type TargetsResponse,
  type TargetView,
  toTargetView,
} from '../definition/target-response.dto.ts';
import type { TargetSetupResponse } from '../setup/target-setup-response.dto.ts';
import { EXAMPLE_URL, toolSetupOf } from '../setup/tool-setup.ts';
import { TargetSecretCipher, type TargetSecrets } from '../signing/target-secret-cipher.ts';
import { type StoredTarget, TargetRepository } from '../target.repository.ts';
import { type PlannedTarget, planTarget } from './plan-target.ts';
import { TooManyTargets } from '../target.errors.ts';

const MAX_TARGETS = 50;

/** Administers the tools that a workspace declares. */
@Injectable()
export class TargetService {
  constructor(
    private readonly targets: TargetRepository,
    private readonly cipher: TargetSecretCipher,
    private readonly transactor: Transactor,
    private readonly workspaces: WorkspaceService,
    private readonly settings: WorkspaceSettingsRepository,
    private readonly config: Config,
    private readonly auditLog: AuditLog,
  ) {}

  /** Lists one page in the order of names. */
  async list({ workspaceId }: Caller, query: PageQueryDto): Promise<TargetsResponse> {
    const { rows, ...next } = await this.targets.list(workspaceId, query);
    return { success: 1, targets: rows.map(toTargetView), ...next };
  }

  /** @throws TargetNotFound */
  async get({ workspaceId }: Caller, name: string): Promise<TargetView> {
    return toTargetView(await this.targets.get({ workspaceId, name }));
  }

  /** Says how the tool of a target is set up, without secrets. @throws TargetNotFound */
  async getSetup({ workspaceId }: Caller, name: string): Promise<TargetSetupResponse> {
    const { definition } = await this.targets.get({ workspaceId, name });
    const workspace = await this.settings.read({ workspaceId });
    const { publicUrl = EXAMPLE_URL } = this.config;
    const setup = toolSetupOf({
      definition,
      issuer: issuerOf(this.config, workspace),
      jwksUrl: `${workspaceUrl(publicUrl, workspace.publicId)}/.well-known/jwks.json`,
      isExampleHost: this.config.publicUrl === undefined,
    });
    return { success: 1, setup };
  }

  /**
   * Creates or replaces a target. The same PUT again changes nothing.
   * @throws ValidationFailed, TooManyTargets, TargetSecretUnreadable, PreconditionFailed
   */
  async put(
    caller: Caller,
    name: string,
    dto: PutTargetRequest,
    preconditions: Preconditions,
  ): Promise<{ created: boolean; body: TargetResponse }> {
    const key = { workspaceId: caller.workspaceId, name };
    return this.transactor.run(async (manager) => {
      // Serialises changes, so that the maximum holds, and that two PUTs do not mix their keys.
      await this.workspaces.lock(manager, key.workspaceId);
      const stored = await this.targets.lock(manager, key);
      preconditions.require(stored && entityTagOf(toTargetView(stored)));
      const secrets = stored && this.secretsOf(stored, dto);
      const now = currentTime();
      const plan = planTarget(
        dto,
        stored && { definition: stored.definition, secrets: secrets! },
        now,
      );
      if (stored && isSame(plan, stored, secrets!)) return { created: false, body: bodyOf(stored) };
      const target = {
        ...key,
        definition: plan.definition,
        ...this.sealed(key, plan.secrets),
        createdAt: stored?.createdAt ?? now,
        updatedAt: now,
      };
      if (stored) await this.targets.update(manager, target);
      else {
        if ((await this.targets.count(manager, key.workspaceId)) >= MAX_TARGETS) {
          throw new TooManyTargets();
        }
        await this.targets.insert(manager, target);
      }
      await this.auditLog.record(manager, caller, {
        action: stored ? 'target.update' : 'target.create',
        object: { type: 'target', id: name },
        ...(stored && { before: settingsOf(stored) }),
        after: settingsOf(target),
        // Tells of a secret that was replaced under its id, of which before and after show nothing else.
        ...(stored && { details: { new_secrets: newSecrets(plan.secrets, secrets!) } }),
      });
      return { created: !stored, body: bodyOf(target) };
    });
  }

  /** Deletes a target: it issues no token any more. Tokens that it has issued stay valid. @throws TargetNotFound, PreconditionFailed */
  async remove(
    caller: Caller,
    name: string,
    preconditions: Preconditions,
  ): Promise<DeletedResponse> {
    const key = { workspaceId: caller.workspaceId, name };
    await this.transactor.run(async (manager) => {
      await this.workspaces.lock(manager, key.workspaceId);
      const stored = await this.targets.lock(manager, key);
      if (!stored) throw new TargetNotFound();
      preconditions.require(entityTagOf(toTargetView(stored)));
      await this.targets.remove(manager, key);
      await this.auditLog.record(manager, caller, {
        action: 'target.delete',
        object: { type: 'target', id: name },
        before: settingsOf(stored),
      });
    });
    return { success: 1 };
  }

  /** Returns the stored secrets; none if they are unreadable and the request has each one. @throws TargetSecretUnreadable */
  private secretsOf(stored: StoredTarget, { signing }: PutTargetRequest): TargetSecrets {
    const { ciphertext, keyId } = stored;
    if (ciphertext === null || keyId === null) return new Map();
    try {
      return this.cipher.decrypt({ ciphertext, keyId }, stored);
    } catch (error) {
      const keeps = signing?.keys.some((key) => (key.secret ?? key.private_key) === undefined);
      if (error instanceof TargetSecretUnreadable && !keeps) return new Map();
      throw error;
    }
  }

  private sealed(key: { workspaceId: number; name: string }, secrets: TargetSecrets) {
    return secrets.size === 0
      ? { ciphertext: null, keyId: null }
      : this.cipher.encrypt(secrets, key);
  }
}

function bodyOf(target: StoredTarget): TargetResponse {
  return { success: 1, target: toTargetView(target) };
}

function isSame(
  { definition, secrets }: PlannedTarget,
  stored: StoredTarget,
  known: TargetSecrets,
) {
  return (
    canonicalJson(definition) === canonicalJson(stored.definition) &&
    newSecrets(secrets, known).length === 0
  );
}

/** Returns the ids of the keys whose secrets were not stored yet. */
function newSecrets(secrets: TargetSecrets, known: TargetSecrets): string[] {
  return [...secrets].filter(([id, text]) => known.get(id) !== text).map(([id]) => id);
}

/** Returns the settings for the audit log. */
function settingsOf(target: StoredTarget): object {
  return { ...toTargetView(target), name: undefined, created_at: undefined, updated_at: undefined };
}

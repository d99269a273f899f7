import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import { AuditLog, ofService } from '../../audit/audit-log.ts';
import type { Scope } from '../../../platform/common/access/caller.ts';
import { SignInNotGranted } from '../../audit/audit.errors.ts';
import { generateToken } from '../../../platform/common/secret/secrets.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { ChangeFeed } from '../../change-log/change-feed.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { WorkspaceService } from '../../workspace/workspace.service.ts';
import { ApiToken } from '../api-token.entity.ts';
import { ApiTokenRepository } from '../api-token.repository.ts';
import { settingsOf } from '../dto/api-token.view.ts';

export interface Person {
  /** Issuer and subject, joined with `#`: never reused for another person. */
  subject: string;
  name: string;
}

/** API tokens of people who sign in. Limited, audited and revocable like any other token; the secret is never revealed. */
@Injectable()
export class SsoTokens {
  constructor(
    private readonly apiTokens: ApiTokenRepository,
    private readonly transactor: Transactor,
    private readonly workspaces: WorkspaceService,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Returns the person's token in a workspace, which the first sign-in issues, and sets its scopes. A revoked token is
   * replaced; the new one keeps its expiry and its allowed addresses.
   * @returns its id
   * @throws SignInNotGranted if an administrator has let it expire
   */
  async give(workspaceId: number, person: Person, scopes: readonly Scope[]): Promise<number> {
    const { id, isChanged } = await this.transactor.run((manager) =>
      this.giveWith(manager, workspaceId, { ...person, scopes: scopes.join(' ') }),
    );
    if (isChanged) this.changes.announce({ workspaceId, of: 'api_tokens' });
    return id;
  }

  /** Revokes the person's tokens, and so the sessions, in all workspaces except `but`. */
  async takeAway({ subject }: Person, but: readonly number[]): Promise<void> {
    const left = await this.transactor.run(async (manager) => {
      const rows = await manager.findBy(ApiToken, { subject, revokedAt: IsNull() });
      const ids = [...new Set(rows.map(({ workspaceId }) => workspaceId))];
      // Sorted, so that two sign-ins do not deadlock.
      const leaving = ids.filter((id) => !but.includes(id)).sort((one, other) => one - other);
      for (const workspaceId of leaving) await this.leave(manager, workspaceId, subject);
      return leaving;
    });
    for (const workspaceId of left) this.changes.announce({ workspaceId, of: 'api_tokens' });
  }

  private async leave(manager: EntityManager, workspaceId: number, subject: string): Promise<void> {
    await this.workspaces.lock(manager, workspaceId);
    // Read under the lock: an administrator may have changed or revoked it meanwhile.
    const tokens = await manager.findBy(ApiToken, { workspaceId, subject, revokedAt: IsNull() });
    for (const token of tokens) {
      token.revokedAt = currentTime();
      await this.apiTokens.update(manager, token);
      await this.auditLog.record(manager, ofService(workspaceId), {
        action: 'api_token.revoke',
        object: { type: 'api_token', id: token.id },
        details: { subject },
      });
    }
  }

  private async giveWith(
    manager: EntityManager,
    workspaceId: number,
    wanted: Pick<ApiToken, 'name' | 'scopes'> & { subject: string },
  ): Promise<{ id: number; isChanged: boolean }> {
    await this.workspaces.lock(manager, workspaceId);
    const { subject, name, scopes } = wanted;
    const last = await manager.findOne(ApiToken, {
      where: { workspaceId, subject },
      order: { id: 'DESC' },
    });
    // Settings of an administrator survive a replacement.
    const { expiresAt = null, allowedCidrs = null, userGroups = null } = last ?? {};
    if (expiresAt !== null && expiresAt <= currentTime()) {
      throw new SignInNotGranted(subject, { expired_api_token_id: last?.id });
    }
    const known = last?.revokedAt === null ? last : undefined;
    if (known?.name === name && known.scopes === scopes) return { id: known.id, isChanged: false };
    const before = known && settingsOf(known);
    let row = known;
    if (row) {
      Object.assign(row, { name, scopes });
      await this.apiTokens.update(manager, row);
    } else {
      row = await this.apiTokens.insert(manager, generateToken('uga'), {
        ...wanted,
        workspaceId,
        firstTokenId: null,
        expiresAt,
        allowedCidrs,
        userGroups,
      });
    }
    await this.auditLog.record(manager, ofService(workspaceId), {
      action: known ? 'api_token.update' : 'api_token.issue',
      object: { type: 'api_token', id: row.id },
      ...(before && { before }),
      after: settingsOf(row),
      details: { subject },
    });
    return { id: row.id, isChanged: true };
  }
}

import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import { AuditLog, ofService } from '../audit/audit-log.ts';
import type { Scope } from '../common/caller.ts';
import { SignInNotGranted } from '../common/errors.ts';
import { generateToken } from '../common/secrets.ts';
import { ChangeFeed } from '../database/change-feed.ts';
import { Transactor } from '../database/transactor.ts';
import { WorkspaceService } from '../workspace/workspace.service.ts';
import { ApiToken } from './api-token.entity.ts';
import { ApiTokenRepository } from './api-token.repository.ts';
import { settingsOf } from './api-token.view.ts';

/** Somebody whom an identity provider has identified. */
export interface Person {
  /** Issuer and subject, with `#` between: the one name that no other person has or will have. */
  subject: string;
  /** For people to read. */
  name: string;
}

/**
 * The API tokens by which people sign in: what such a person does is counted, limited, written down
 * and ended as what is done by any token. Nobody knows them.
 */
@Injectable()
export class PersonTokens {
  constructor(
    private readonly apiTokens: ApiTokenRepository,
    private readonly transactor: Transactor,
    private readonly workspaces: WorkspaceService,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Gives the person's token in a workspace, issued at the first time, with the scopes that the
   * person has from now on. In place of one that was revoked another is issued, which ends when it would
   * have ended, and can be used from where it could.
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

  /** Revokes the person's tokens in every workspace but these, and with them the person's sessions. */
  async takeAway({ subject }: Person, but: readonly number[]): Promise<void> {
    const left = await this.transactor.run(async (manager) => {
      const rows = await manager.findBy(ApiToken, { subject, revokedAt: IsNull() });
      const ids = [...new Set(rows.map(({ workspaceId }) => workspaceId))];
      // In one order, in which no two sign-ins wait for each other.
      const leaving = ids.filter((id) => !but.includes(id)).sort((one, other) => one - other);
      for (const workspaceId of leaving) await this.leave(manager, workspaceId, subject);
      return leaving;
    });
    for (const workspaceId of left) this.changes.announce({ workspaceId, of: 'api_tokens' });
  }

  private async leave(manager: EntityManager, workspaceId: number, subject: string): Promise<void> {
    await this.workspaces.lock(manager, workspaceId);
    // Read behind the lock: an administrator may have changed or revoked it meanwhile.
    const tokens = await manager.findBy(ApiToken, { workspaceId, subject, revokedAt: IsNull() });
    for (const token of tokens) {
      await manager.save(Object.assign(token, { revokedAt: Date.now() }));
      this.auditLog.record(manager, ofService(workspaceId), {
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
    // What an administrator has set stays, also when another token takes the place of this one.
    const { expiresAt = null, allowedCidrs = null } = last ?? {};
    if (expiresAt !== null && expiresAt <= Date.now()) {
      throw new SignInNotGranted(subject, { expired_api_token_id: last?.id });
    }
    const known = last?.revokedAt === null ? last : undefined;
    if (known?.name === name && known.scopes === scopes) return { id: known.id, isChanged: false };
    const before = known && settingsOf(known);
    const row = known
      ? await manager.save(Object.assign(known, { name, scopes }))
      : await this.apiTokens.insert(manager, generateToken('uga'), {
          ...{ ...wanted, workspaceId },
          ...{ firstTokenId: null, expiresAt, allowedCidrs },
        });
    this.auditLog.record(manager, ofService(workspaceId), {
      action: known ? 'api_token.update' : 'api_token.issue',
      object: { type: 'api_token', id: row.id },
      ...(before && { before }),
      after: settingsOf(row),
      details: { subject },
    });
    return { id: row.id, isChanged: true };
  }
}

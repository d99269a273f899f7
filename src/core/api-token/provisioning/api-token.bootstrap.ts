import { Injectable } from '@nestjs/common';
import { resolve } from 'node:path';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.ts';
import { operator, scopes } from '../../../platform/common/access/caller.ts';
import { writePrivateFile } from '../../../platform/common/secret/private-file.ts';
import { generateToken, hashToken } from '../../../platform/common/secret/secrets.ts';
import { Config } from '../../../platform/config/config.ts';
import { isUniqueViolation } from '../../../platform/database/database-errors.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { WorkspaceService } from '../../workspace/workspace.service.ts';
import { ApiToken } from '../api-token.entity.ts';
import { ApiTokenRepository } from '../api-token.repository.ts';
import { hasEnded } from '../api-token.rules.ts';

export type BootstrapResult =
  | { kind: 'present' }
  /** Others are there, and the one of BOOTSTRAP_API_TOKEN is not, or has ended. */
  | { kind: 'ignored' }
  /** It was created from BOOTSTRAP_API_TOKEN. */
  | { kind: 'configured' }
  | { kind: 'generated'; token: string; file: string }
  /** None exists: the operator has to issue one. */
  | { kind: 'absent' };

const WORKSPACE_NAME = 'default';
const TOKEN_NAME = 'bootstrap';
const TOKEN_FILE = 'bootstrap-token';

/** Provides the first API token. An endpoint for it could be claimed by its first visitor. */
@Injectable()
export class ApiTokenBootstrap {
  constructor(
    private readonly config: Config,
    private readonly apiTokens: ApiTokenRepository,
    private readonly workspaces: WorkspaceService,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Creates the first token if there is none. Safe to run in several replicas at once: of those with the same
   * configuration only one creates it.
   */
  async run(): Promise<BootstrapResult> {
    try {
      return await this.transactor.run((manager) => this.runWith(manager));
    } catch (error) {
      // Another replica has just created the same token.
      if (isUniqueViolation(error)) return { kind: 'present' };
      throw error;
    }
  }

  private async runWith(manager: EntityManager): Promise<BootstrapResult> {
    const { bootstrapApiToken, databaseUrl, dataDir } = this.config;
    if (await manager.exists(ApiToken)) {
      const isOther =
        bootstrapApiToken !== undefined && !(await this.isActive(manager, bootstrapApiToken));
      return { kind: isOther ? 'ignored' : 'present' };
    }
    if (bootstrapApiToken !== undefined) {
      await this.create(manager, bootstrapApiToken);
      return { kind: 'configured' };
    }
    if (databaseUrl !== undefined) return { kind: 'absent' };
    const token = generateToken('uga');
    const file = resolve(dataDir, TOKEN_FILE);
    // Written before the commit: nobody could read a token that exists in the database alone.
    writePrivateFile(file, `${token}\n`);
    await this.create(manager, token);
    return { kind: 'generated', token, file };
  }

  private async isActive(manager: EntityManager, token: string): Promise<boolean> {
    const found = await manager.findOneBy(ApiToken, { tokenHash: hashToken(token) });
    return found !== null && !hasEnded(found);
  }

  private async create(manager: EntityManager, token: string): Promise<void> {
    const workspaceId = await this.workspaces.findIdByName(manager, WORKSPACE_NAME);
    if (workspaceId === undefined) throw new Error(`the workspace ${WORKSPACE_NAME} is missing`);
    const row = await this.apiTokens.insert(manager, token, {
      firstTokenId: null,
      workspaceId,
      name: TOKEN_NAME,
      scopes: scopes.join(' '),
      expiresAt: null,
      allowedCidrs: null,
      userGroups: null,
    });
    await this.auditLog.record(manager, operator(workspaceId), {
      action: 'api_token.issue',
      object: { type: 'api_token', id: row.id },
      after: { name: TOKEN_NAME, scopes, last_four: row.lastFour },
    });
  }
}

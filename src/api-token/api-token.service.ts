import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../audit/audit-log.ts';
import type { Caller } from '../common/caller.ts';
import {
  AddressNotAllowed,
  ApiTokenInvalid,
  ApiTokenOfPerson,
  ApiTokenSuperseded,
  InsufficientScope,
} from '../common/errors.ts';
import { limitOf, type PageQueryDto, positionOf, toPage } from '../common/http/page.dto.ts';
import { generateToken } from '../common/secrets.ts';
import { fromWireTime } from '../common/time.ts';
import { ChangeFeed } from '../database/change-feed.ts';
import { Transactor } from '../database/transactor.ts';
import { WorkspaceService } from '../workspace/workspace.service.ts';
import type { ApiToken } from './api-token.entity.ts';
import { ApiTokenRepository } from './api-token.repository.ts';
import {
  hasEnded,
  isAdmin,
  isAllowedFrom,
  isWider,
  requireAnotherAdmin,
  requireGrantable,
} from './api-token.rules.ts';
import { settingsOf, toApiTokenView } from './api-token.view.ts';
import type {
  IssueApiTokenDto,
  RotateApiTokenDto,
  UpdateApiTokenDto,
} from './dto/api-token.dto.ts';
import type {
  ApiTokenAnswer,
  ApiTokensAnswer,
  IssuedApiTokenAnswer,
} from './dto/api-token-answer.dto.ts';

/**
 * Administers the tokens with which host applications call the API. Changes to the tokens of one
 * workspace happen one after the other, and take effect in every replica within a second.
 */
@Injectable()
export class ApiTokenService {
  /** @internal Nest makes it. */
  constructor(
    private readonly apiTokens: ApiTokenRepository,
    private readonly transactor: Transactor,
    private readonly workspaces: WorkspaceService,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
  ) {}

  /** Lists one page of the workspace's tokens in the order of creation, including those that have ended. */
  async list({ workspaceId }: Caller, query: PageQueryDto): Promise<ApiTokensAnswer> {
    const limit = limitOf(query);
    const [after = 0] = positionOf(query, 1) ?? [];
    const tokens = await this.apiTokens.list({ workspaceId, after, limit: limit + 1 });
    const { rows, nextCursor } = toPage(tokens, limit, ({ id }) => [id]);
    return {
      success: 1,
      api_tokens: rows.map(toApiTokenView),
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    };
  }

  /** @throws ApiTokenNotFound */
  async get({ workspaceId }: Caller, id: number): Promise<ApiTokenAnswer> {
    const token = await this.apiTokens.show({ workspaceId, id });
    return { success: 1, api_token: toApiTokenView(token) };
  }

  /**
   * Issues a token. The answer is the only place where it can ever be read.
   * @throws GrantExceedsCaller
   */
  async issue(caller: Caller, dto: IssueApiTokenDto): Promise<IssuedApiTokenAnswer> {
    const { workspaceId } = caller;
    return this.change(caller, async (manager, own) => {
      const grant = {
        scopes: dto.scopes.join(' '),
        expiresAt: toExpiry(dto.expires_at),
        allowedCidrs: toCidrs(dto.allowed_cidrs),
      };
      requireGrantable(own, grant);
      const token = generateToken('uga');
      const given = { workspaceId, name: dto.name, firstTokenId: null, ...grant };
      const row = await this.apiTokens.insert(manager, token, given);
      this.auditLog.record(manager, caller, {
        action: 'api_token.issue',
        object: { type: 'api_token', id: row.id },
        after: settingsOf(row),
      });
      return toIssuedAnswer(row, token);
    });
  }

  /**
   * Stores every field that was sent.
   * @throws ApiTokenNotFound, ApiTokenEnded, GrantExceedsCaller, LastAdminApiToken
   */
  async update(caller: Caller, id: number, dto: UpdateApiTokenDto): Promise<ApiTokenAnswer> {
    const { workspaceId } = caller;
    return this.change(caller, async (manager, own) => {
      const row = await this.apiTokens.getActive(manager, { workspaceId, id });
      const before = settingsOf(row);
      const wanted = {
        scopes: dto.scopes?.join(' ') ?? row.scopes,
        expiresAt: dto.expires_at === undefined ? row.expiresAt : toExpiry(dto.expires_at),
        allowedCidrs:
          dto.allowed_cidrs === undefined ? row.allowedCidrs : toCidrs(dto.allowed_cidrs),
      };
      if (isWider(wanted, row)) requireGrantable(own, wanted);
      const isCutOff = id === caller.apiTokenId && !isAllowedFrom(caller.address, wanted);
      const endsSooner = (wanted.expiresAt ?? Infinity) < (row.expiresAt ?? Infinity);
      if (!isAdmin(wanted) || endsSooner || isCutOff) {
        await requireAnotherAdmin(manager, caller, row);
      }
      Object.assign(row, wanted, { name: dto.name ?? row.name });
      const after = settingsOf(row);
      if (JSON.stringify(before) !== JSON.stringify(after)) {
        await manager.save(row);
        this.auditLog.record(manager, caller, {
          action: 'api_token.update',
          object: { type: 'api_token', id },
          before,
          after,
        });
      }
      return { success: 1, api_token: toApiTokenView(row) };
    });
  }

  /**
   * Issues a token with the same settings in place of this one, which stays valid for the grace
   * period. Its own predecessor, if still valid, ends at once.
   * @throws ApiTokenNotFound, ApiTokenEnded, ApiTokenOfPerson, GrantExceedsCaller
   */
  async rotate(caller: Caller, id: number, dto: RotateApiTokenDto): Promise<IssuedApiTokenAnswer> {
    const { workspaceId } = caller;
    const { grace_period_seconds: graceSeconds = 0 } = dto;
    return this.change(caller, async (manager, own) => {
      const old = await this.apiTokens.getActive(manager, { workspaceId, id });
      if (old.subject !== null) throw new ApiTokenOfPerson();
      const { name, scopes, expiresAt, allowedCidrs } = old;
      requireGrantable(own, { scopes, expiresAt, allowedCidrs });
      const token = generateToken('uga');
      const firstTokenId = old.firstTokenId ?? old.id;
      const given = { workspaceId, name, firstTokenId, scopes, expiresAt, allowedCidrs };
      const row = await this.apiTokens.insert(manager, token, given);
      const predecessor = await this.apiTokens.endOverlap(manager, { workspaceId, id });
      const now = Date.now();
      old.supersededBy = row.id;
      if (graceSeconds === 0) old.revokedAt = now;
      else old.expiresAt = Math.min(expiresAt ?? Infinity, now + graceSeconds * 1000);
      await manager.save(old);
      this.auditLog.record(manager, caller, {
        action: 'api_token.rotate',
        object: { type: 'api_token', id },
        details: {
          superseded_by: row.id,
          grace_period_seconds: graceSeconds,
          ...(predecessor && { ended: predecessor.id }),
        },
      });
      return toIssuedAnswer(row, token);
    });
  }

  /**
   * Ends a token. Revoking it again changes nothing.
   * @throws ApiTokenNotFound, LastAdminApiToken
   */
  async revoke(caller: Caller, id: number): Promise<ApiTokenAnswer> {
    const { workspaceId } = caller;
    return this.change(caller, async (manager) => {
      const row = await this.apiTokens.get(manager, { workspaceId, id });
      if (row.revokedAt === null) {
        await requireAnotherAdmin(manager, caller, row);
        row.revokedAt = Date.now();
        await manager.save(row);
        this.auditLog.record(manager, caller, {
          action: 'api_token.revoke',
          object: { type: 'api_token', id },
        });
      }
      return { success: 1, api_token: toApiTokenView(row) };
    });
  }

  /**
   * Runs one change at a time in a workspace. Reads the caller's own token again: the guard's
   * cached copy may be almost a second old.
   * @throws ApiTokenInvalid, InsufficientScope, AddressNotAllowed, ApiTokenSuperseded
   */
  private async change<T>(
    caller: Caller,
    work: (manager: EntityManager, own: ApiToken | undefined) => Promise<T>,
  ): Promise<T> {
    const { workspaceId, apiTokenId } = caller;
    const result = await this.transactor.run(async (manager) => {
      await this.workspaces.lock(manager, workspaceId);
      if (apiTokenId === null) return work(manager, undefined);
      const own = await this.apiTokens.get(manager, { workspaceId, id: apiTokenId });
      if (hasEnded(own)) throw new ApiTokenInvalid({ workspaceId, apiTokenId });
      if (!isAdmin(own)) throw new InsufficientScope('admin');
      if (!isAllowedFrom(caller.address, own)) throw new AddressNotAllowed();
      // Somebody who got hold of the old token must not be able to end the new one, or to outlive
      // it.
      if (own.supersededBy !== null) throw new ApiTokenSuperseded();
      return work(manager, own);
    });
    this.changes.announce({ workspaceId, of: 'api_tokens' });
    return result;
  }
}

function toIssuedAnswer(row: ApiToken, token: string): IssuedApiTokenAnswer {
  return { success: 1, api_token: { ...toApiTokenView(row), token } };
}

/** Parses a time of expiry; null for never. */
function toExpiry(time: string | null | undefined): number | null {
  return typeof time === 'string' ? fromWireTime(time) : null;
}

/** Joins ranges into the stored text; null for anywhere. */
function toCidrs(ranges: string[] | null | undefined): string | null {
  return Array.isArray(ranges) ? ranges.join(' ') : null;
}

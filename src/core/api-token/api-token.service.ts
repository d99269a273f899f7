import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../platform/common/access/caller.ts';
import type { UserGroupRange } from '../../platform/common/access/user-group-range.ts';
import { ApiTokenOfPerson } from './api-token.errors.ts';
import type { Preconditions } from '../../platform/common/http/parameters/preconditions.ts';
import { generateToken } from '../../platform/common/secret/secrets.ts';
import { currentTime, fromWireTime } from '../../platform/common/time.ts';
import type { ApiToken } from './api-token.entity.ts';
import { ApiTokenRepository } from './api-token.repository.ts';
import {
  isAdmin,
  isAllowedFrom,
  isWider,
  requireAnotherAdmin,
  requireGrantable,
} from './api-token.rules.ts';
import { ApiTokenChanges, UNKEYED } from './api-token-changes.ts';
import { settingsOf, entityTagOfApiToken, toApiTokenView } from './dto/api-token.view.ts';
import type {
  ApiTokenQueryDto,
  CreateApiTokenRequest,
  RotateApiTokenRequest,
  UpdateApiTokenRequest,
} from './dto/api-token.dto.ts';
import type {
  ApiTokenResponse,
  ApiTokensResponse,
  ApiTokenWithSecretResponse,
} from './dto/api-token-response.dto.ts';

/** Administers API tokens. Changes to the tokens of one workspace are serialised, and take effect in every replica within a second. */
@Injectable()
export class ApiTokenService {
  /** @internal */
  constructor(
    private readonly apiTokens: ApiTokenRepository,
    private readonly changes: ApiTokenChanges,
  ) {}

  /** Lists one page of the workspace's tokens in the order of creation, including ended ones. */
  async list({ workspaceId }: Caller, query: ApiTokenQueryDto): Promise<ApiTokensResponse> {
    const choice = { workspaceId, state: query.state ?? null, now: currentTime() };
    const { rows, ...next } = await this.apiTokens.list(choice, query);
    const total = query.count === 'true' && {
      count: await this.apiTokens.count(choice),
      exact: true,
    };
    return { success: 1, api_tokens: rows.map(toApiTokenView), ...next, ...(total && { total }) };
  }

  /** @throws ApiTokenNotFound */
  async get({ workspaceId }: Caller, id: number): Promise<ApiTokenResponse> {
    const token = await this.apiTokens.show({ workspaceId, id });
    return { success: 1, api_token: toApiTokenView(token) };
  }

  /** Issues a token. The response is the only one that ever contains it. @throws GrantExceedsCaller */
  async issue(
    caller: Caller,
    dto: CreateApiTokenRequest,
    key?: string,
  ): Promise<ApiTokenWithSecretResponse> {
    const { name, scopes, expires_at: expiry = null, allowed_cidrs: cidrs, user_groups } = dto;
    const call = {
      key,
      request: [
        'api_token.issue',
        name,
        scopes.toSorted(),
        expiry,
        cidrs ? cidrs.toSorted() : null,
        user_groups ?? null,
      ],
      onReplay: this.showAgain(caller),
    };
    return this.changes.run(caller, call, async (manager, own) => {
      const grant = {
        scopes: dto.scopes.join(' '),
        expiresAt: toExpiry(dto.expires_at),
        allowedCidrs: toCidrs(dto.allowed_cidrs),
        userGroups: toRangeText(user_groups),
      };
      requireGrantable(own, grant);
      const token = generateToken('uga');
      const given = { workspaceId: caller.workspaceId, name, firstTokenId: null, ...grant };
      const row = await this.apiTokens.insert(manager, token, given);
      await this.changes.record(manager, caller, row, {
        action: 'api_token.issue',
        after: settingsOf(row),
      });
      return toIssuedResponse(row, token);
    });
  }

  /**
   * Stores every field that was sent.
   * @throws ApiTokenNotFound, ApiTokenEnded, GrantExceedsCaller, LastAdminApiToken, PreconditionFailed
   */
  async update(
    caller: Caller,
    id: number,
    dto: UpdateApiTokenRequest,
    preconditions?: Preconditions,
  ): Promise<ApiTokenResponse> {
    const key = { workspaceId: caller.workspaceId, id };
    return this.changes.run(caller, UNKEYED, async (manager, own) => {
      const row = await this.apiTokens.getActive(manager, key);
      preconditions?.require(entityTagOfApiToken(toApiTokenView(row)));
      const before = settingsOf(row);
      const wanted = {
        scopes: dto.scopes?.join(' ') ?? row.scopes,
        expiresAt: dto.expires_at === undefined ? row.expiresAt : toExpiry(dto.expires_at),
        allowedCidrs:
          dto.allowed_cidrs === undefined ? row.allowedCidrs : toCidrs(dto.allowed_cidrs),
        userGroups: dto.user_groups === undefined ? row.userGroups : toRangeText(dto.user_groups),
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
        await this.apiTokens.update(manager, row);
        await this.changes.record(manager, caller, row, {
          action: 'api_token.update',
          before,
          after,
        });
      }
      return { success: 1, api_token: toApiTokenView(row) };
    });
  }

  /**
   * Issues a token with the same settings to replace this one, which stays valid for the grace period. A predecessor
   * that is still valid ends at once.
   * @throws ApiTokenNotFound, ApiTokenEnded, ApiTokenOfPerson, GrantExceedsCaller
   */
  async rotate(
    caller: Caller,
    id: number,
    dto: RotateApiTokenRequest,
    key?: string,
  ): Promise<ApiTokenWithSecretResponse> {
    const { workspaceId } = caller;
    const { grace_period_seconds: graceSeconds = 0 } = dto;
    const call = {
      key,
      request: ['api_token.rotate', id, graceSeconds],
      onReplay: this.showAgain(caller),
    };
    return this.changes.run(caller, call, async (manager, own) => {
      const old = await this.apiTokens.getActive(manager, { workspaceId, id });
      if (old.subject !== null) throw new ApiTokenOfPerson();
      const { name, scopes, expiresAt, allowedCidrs, userGroups } = old;
      const grant = { scopes, expiresAt, allowedCidrs, userGroups };
      requireGrantable(own, grant);
      const token = generateToken('uga');
      const firstTokenId = old.firstTokenId ?? old.id;
      const given = { workspaceId, name, firstTokenId, ...grant };
      const row = await this.apiTokens.insert(manager, token, given);
      const predecessor = await this.apiTokens.endOverlap(manager, { workspaceId, id });
      const now = currentTime();
      old.supersededBy = row.id;
      if (graceSeconds === 0) old.revokedAt = now;
      else old.expiresAt = Math.min(expiresAt ?? Infinity, now + graceSeconds * 1000);
      await this.apiTokens.update(manager, old);
      await this.changes.record(manager, caller, old, {
        action: 'api_token.rotate',
        details: {
          superseded_by_id: row.id,
          grace_period_seconds: graceSeconds,
          ...(predecessor && { ended: predecessor.id }),
        },
      });
      return toIssuedResponse(row, token);
    });
  }

  /** Ends a token. Revoking it again changes nothing. @throws ApiTokenNotFound, LastAdminApiToken */
  async revoke(caller: Caller, id: number): Promise<ApiTokenResponse> {
    return this.changes.run(caller, UNKEYED, async (manager) => {
      const row = await this.apiTokens.get(manager, { workspaceId: caller.workspaceId, id });
      if (row.revokedAt === null) {
        await requireAnotherAdmin(manager, caller, row);
        await this.changes.end(manager, caller, row);
      }
      return { success: 1, api_token: toApiTokenView(row) };
    });
  }

  private showAgain(caller: Caller) {
    return async (manager: EntityManager, { api_token }: ApiTokenWithSecretResponse) => {
      const { workspaceId, apiTokenId } = caller;
      if (apiTokenId !== null) {
        // The caller may have had more rights when it issued the token.
        const [own, shown] = [
          await this.apiTokens.get(manager, { workspaceId, id: apiTokenId }),
          await this.apiTokens.get(manager, { workspaceId, id: api_token.id }),
        ];
        requireGrantable(own, shown);
      }
      await this.changes.record(manager, caller, api_token, { action: 'secret.show' });
    };
  }
}

function toIssuedResponse(row: ApiToken, token: string): ApiTokenWithSecretResponse {
  return { success: 1, api_token: { ...toApiTokenView(row), token } };
}

function toExpiry(time: string | null | undefined): number | null {
  return typeof time === 'string' ? fromWireTime(time) : null;
}

function toCidrs(ranges: string[] | null | undefined): string | null {
  return Array.isArray(ranges) ? ranges.join(' ') : null;
}

function toRangeText(range: UserGroupRange | null | undefined): string | null {
  return range ? JSON.stringify(range) : null;
}

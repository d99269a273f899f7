import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type AuditEntry, AuditLog } from '../audit/audit-log.ts';
import type { Caller, Scope } from '../../platform/common/access/caller.ts';
import type { UserGroupRange } from '../../platform/common/access/user-group-range.ts';
import {
  AddressNotAllowed,
  ApiTokenInvalid,
  InsufficientScope,
} from '../../platform/common/problem/errors.ts';
import { ApiTokenOfPerson, ApiTokenSuperseded } from './api-token.errors.ts';
import type { Preconditions } from '../../platform/common/http/parameters/preconditions.ts';
import { generateToken } from '../../platform/common/secret/secrets.ts';
import { currentTime, fromWireTime } from '../../platform/common/time.ts';
import { ChangeFeed } from '../change-log/change-feed.ts';
import { Transactor } from '../../platform/database/transactor.ts';
import { type IdempotentCall, IdempotentCalls } from '../idempotency/idempotent-calls.ts';
import { WorkspaceService } from '../workspace/workspace.service.ts';
import type { ApiToken } from './api-token.entity.ts';
import { ApiTokenRepository } from './api-token.repository.ts';
import {
  hasAnotherAdmin,
  hasEnded,
  isAdmin,
  isAllowedFrom,
  isWider,
  requireAnotherAdmin,
  requireGrantable,
} from './api-token.rules.ts';
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
  ApiTokenView,
  ApiTokenWithSecretResponse,
} from './dto/api-token-response.dto.ts';

/** The result for a token whose text somebody holds. */
type HeldResult = 'ended' | 'already_inactive' | 'last_admin_token';

/** A change that is the same however often it is made. */
const UNKEYED: IdempotentCall = { key: undefined, request: [] };

/** Administers API tokens. Changes to the tokens of one workspace are serialised, and take effect in every replica within a second. */
@Injectable()
export class ApiTokenService {
  /** @internal */
  constructor(
    private readonly apiTokens: ApiTokenRepository,
    private readonly transactor: Transactor,
    private readonly workspaces: WorkspaceService,
    private readonly auditLog: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly calls: IdempotentCalls,
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
    return this.change(caller, call, async (manager, own) => {
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
      await this.record(manager, caller, row, {
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
    return this.change(caller, UNKEYED, async (manager, own) => {
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
        await manager.save(row);
        await this.record(manager, caller, row, { action: 'api_token.update', before, after });
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
    return this.change(caller, call, async (manager, own) => {
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
      await manager.save(old);
      await this.record(manager, caller, old, {
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
    return this.change(caller, UNKEYED, async (manager) => {
      const row = await this.apiTokens.get(manager, { workspaceId: caller.workspaceId, id });
      if (row.revokedAt === null) {
        await requireAnotherAdmin(manager, caller, row);
        await this.endNow(manager, caller, row);
      }
      return { success: 1, api_token: toApiTokenView(row) };
    });
  }

  /** Finds the token of the workspace with this hash; undefined if there is none. @internal */
  async findByHash(workspaceId: number, hash: Buffer): Promise<ApiTokenView | undefined> {
    const [held] = await this.apiTokens.findHeld(workspaceId, [hash]);
    return held && toApiTokenView(await this.apiTokens.show({ workspaceId, id: held.id }));
  }

  /**
   * Ends tokens for a caller who holds them, or has found them, whatever its other scopes.
   * @param leak the place where they were found
   * @returns the results of those of the workspace, by hash in hexadecimal
   * @internal
   */
  async end(
    caller: Caller,
    hashes: readonly Buffer[],
    leak?: { source?: string | undefined },
  ): Promise<Map<string, HeldResult>> {
    const held = await this.apiTokens.findHeld(caller.workspaceId, hashes);
    const results = new Map<string, HeldResult>();
    if (held.length === 0) return results;
    const endAll = async (manager: EntityManager) => {
      for (const { id, hash } of held) {
        results.set(hash, await this.endHeld(manager, caller, id, leak));
      }
      return results;
    };
    return this.change(caller, UNKEYED, endAll, 'tokens:rotate');
  }

  private async endHeld(
    manager: EntityManager,
    caller: Caller,
    id: number,
    leak?: object,
  ): Promise<HeldResult> {
    const row = await this.apiTokens.get(manager, { workspaceId: caller.workspaceId, id });
    if (hasEnded(row)) return 'already_inactive';
    if (!(await hasAnotherAdmin(manager, caller, row))) return 'last_admin_token';
    await this.endNow(manager, caller, row);
    if (leak) {
      await this.record(manager, caller, row, { action: 'api_token.leaked', details: leak });
    }
    return 'ended';
  }

  private async endNow(manager: EntityManager, caller: Caller, row: ApiToken): Promise<void> {
    row.revokedAt = currentTime();
    await manager.save(row);
    await this.record(manager, caller, row, { action: 'api_token.revoke' });
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
      await this.record(manager, caller, api_token, { action: 'secret.show' });
    };
  }

  private record(
    manager: EntityManager,
    caller: Caller,
    { id }: { id: number },
    entry: Omit<AuditEntry, 'object'>,
  ): Promise<void> {
    const object = { type: 'api_token', id };
    return this.auditLog.record(manager, caller, { ...entry, object });
  }

  /**
   * Runs one change at a time in a workspace. Reads the caller's own token again: the guard's cached copy may be almost
   * a second old.
   * @throws ApiTokenInvalid, InsufficientScope, AddressNotAllowed, ApiTokenSuperseded
   */
  private async change<T extends object>(
    caller: Caller,
    call: IdempotentCall<T>,
    work: (manager: EntityManager, own: ApiToken | undefined) => Promise<T>,
    scope: Scope = 'admin',
  ): Promise<T> {
    const { workspaceId, apiTokenId } = caller;
    const result = await this.transactor.run(async (manager) => {
      await this.workspaces.lock(manager, workspaceId);
      if (apiTokenId === null) return work(manager, undefined);
      const own = await this.apiTokens.get(manager, { workspaceId, id: apiTokenId });
      if (hasEnded(own)) throw new ApiTokenInvalid({ workspaceId, apiTokenId });
      if (!own.scopes.split(' ').includes(scope)) throw new InsufficientScope(scope);
      if (!isAllowedFrom(caller.address, own)) throw new AddressNotAllowed();
      // The holder of an old, stolen token must not be able to end the new one, to outlive it, or to be shown it again.
      if (own.supersededBy !== null) throw new ApiTokenSuperseded();
      return this.calls.within(manager, caller, call, () => work(manager, own));
    });
    this.changes.announce({ workspaceId, of: 'api_tokens' });
    return result;
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

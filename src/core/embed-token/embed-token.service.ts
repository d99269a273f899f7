import { Injectable, Optional } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SignJWT } from 'jose/jwt/sign';
import { AuditLog } from '../audit/audit-log.ts';
import { TokenDisclosures } from '../audit/tally/token-disclosures.ts';
import { type Caller, requireScope } from '../../platform/common/access/caller.ts';
import { Gate } from '../../platform/common/concurrency/gate.ts';
import { randomBytes } from '../../platform/common/secret/random-bytes.ts';
import { UserGroupInactive, ViewAsForbidden } from './embed-token.errors.ts';
import { ReservedIds } from '../user-group/group/reserved-ids.ts';
import { UserGroupNotFound, UserGroupTokensEnded } from '../user-group/group/user-group.errors.ts';
import { IdempotencyKeySpent, ValidationFailed } from '../../platform/common/problem/errors.ts';
import { currentTime, toWireTime } from '../../platform/common/time.ts';
import { Config } from '../../platform/config/config.ts';
import { IdempotentCalls } from '../idempotency/idempotent-calls.ts';
import type { JsonObject } from '../../platform/common/json/strict-json.ts';
import { tokenVariableViolations } from '../mapping/token-variables.ts';
import { issuerOf } from '../workspace/workspace-issuer.ts';
import { statusOf } from '../user-group/status/user-group-status.ts';
import type { UserGroupSnapshot } from '../user-group/snapshot/user-group-snapshot.repository.ts';
import { UserGroupSnapshots } from '../user-group/snapshot/user-group-snapshots.ts';
import { isEndedTogether } from '../user-group/token/token-validity.ts';
import { UserGroupTokenRepository } from '../user-group/token/user-group-token.repository.ts';
import type { IssueEmbedTokenRequest } from './dto/embed-token.dto.ts';
import type { EmbedTokenResponse } from './dto/embed-token-response.dto.ts';
import { ALGORITHM, type EmbedTokenClaims, TYPE, viewerOf } from './embed-token.ts';
import { DEFAULT_LIFE_SECONDS, MAX_VIEW_AS_SECONDS, misplacedFields } from './embed-token.rules.ts';
import { encryptClaims } from './signing/opaque-token.ts';
import { SigningKeys } from './signing/signing-keys.ts';
import { type OpenTarget, TargetTokens } from './target-tokens.ts';
import { TokenUses } from './token-uses.ts';

const JTI_BYTES = 16;
const ENDS_NOW = 'No embed token is issued: the group is valid for less than a second.';
const EXPIRED = 'The token that was issued with this Idempotency-Key has expired: use another key.';

/** Issues short-lived tokens that a browser may hold instead of the group's own token. */
@Injectable()
export class EmbedTokenService {
  constructor(
    private readonly tokens: UserGroupTokenRepository,
    private readonly snapshots: UserGroupSnapshots,
    private readonly reserved: ReservedIds,
    private readonly keys: SigningKeys,
    private readonly config: Config,
    private readonly tokenDisclosures: TokenDisclosures,
    private readonly calls: IdempotentCalls,
    private readonly auditLog: AuditLog,
    private readonly gate: Gate,
    @Optional() private readonly targets?: TargetTokens,
    @Optional() private readonly uses?: TokenUses,
  ) {}

  /**
   * Issues a token that ends no later than the group, or its current token. Nothing is stored, unless somebody acts
   * for the group or it is for a target: then no token is issued without its event, and a key gets one token.
   * @throws InsufficientScope, UserGroupNotFound, UserGroupRenamed, ValidationFailed, UserGroupInactive, UserGroupTokensEnded,
   *   ViewAsForbidden, AuditUnavailable; errors of `TargetTokens`
   */
  async issue(
    caller: Caller,
    providedId: string,
    dto: IssueEmbedTokenRequest,
    idempotencyKey?: string,
  ): Promise<EmbedTokenResponse> {
    const { workspaceId, range } = caller;
    const { origin, acting_for: actingFor, user, resources, variables, format = 'jwt' } = dto;
    requireScope(caller, actingFor ? 'user-groups:view-as' : 'embed-tokens:issue');
    const misplaced = misplacedFields(dto);
    if (misplaced.length > 0) throw new ValidationFailed(misplaced);
    const target = dto.target === undefined ? undefined : await this.open(workspaceId, dto.target);
    const aud = target ? target.audience : dto.audience;
    const most = Math.min(
      target?.maxSeconds ?? Infinity,
      actingFor ? MAX_VIEW_AS_SECONDS : Infinity,
    );
    const life = dto.expires_in_seconds ?? Math.min(DEFAULT_LIFE_SECONDS, most);
    if (life > most) throw tooLongALife(most);
    if (variables && !target && format !== 'opaque') throw formatRequired();
    const group = await this.tokens.findCurrent(caller, providedId);
    if (!group) throw await this.reserved.refusal(caller, providedId);
    requireAllowed(aud, JSON.parse(group.embedTokenAudiences) as string[]);
    if (actingFor && group.viewAs === 'forbidden') throw new ViewAsForbidden();
    const key = { workspaceId, range, userGroupId: group.userGroupId };
    const snapshot = await this.snapshots.find(key, { isFresh: true });
    if (!snapshot) throw new UserGroupNotFound();
    // Read at one moment: a rotation may have come after the first read.
    const current = snapshot.tokens.at(-1)!;
    const { embedTokensEpoch, embedTokensEndedBefore, publicId } = snapshot.workspace;
    if (isEndedTogether(current, snapshot.workspace)) throw new UserGroupTokensEnded();
    requireActive(snapshot);
    requireVariables(snapshot, variables);
    this.uses?.admit(group.userGroupId);
    const now = currentTime();
    const iat = Math.floor(now / 1000);
    const exp = Math.min(iat + life, Math.floor((snapshot.validUntil ?? Infinity) / 1000));
    if (exp <= iat) throw new UserGroupInactive(ENDS_NOW);
    const grant = { group: snapshot, user, resources, variables, actingFor: actingFor?.subject };
    const response = target
      ? toTargetResponse(dto.target!, await target.sign(grant, { iat, exp }), { iat, exp })
      : await this.make(format, {
          iss: issuerOf(this.config, snapshot.workspace),
          sub: providedId,
          aud: aud!,
          iat,
          exp,
          // If the clock is behind, the token must not be among those that were ended.
          iat_ms: Math.max(now, embedTokensEndedBefore ?? 0),
          epoch: embedTokensEpoch,
          jti: randomBytes(JTI_BYTES).toString('base64url'),
          workspace_id: publicId,
          team_id: group.userGroupId,
          gen: current.generation,
          ...(origin !== undefined && { origin }),
          ...(actingFor && { act: { sub: actingFor.subject } }),
          ...viewerOf({ user_id: user?.id, user_name: user?.name, email: user?.email, resources }),
          ...(variables && { variables }),
        });
    // A token for a target has an event of its own: nothing ends it before it expires.
    if (actingFor || !target) {
      this.tokenDisclosures.record(caller, 'embed_token', { id: group.userGroupId, providedId });
    }
    const issued = () => {
      this.uses?.count('embedTokens', key, user?.id);
      return response;
    };
    // A repeated call issues another token: tokens for pages are not stored.
    if (!actingFor && !target) return issued();
    // Sign first: a transaction must wait for nothing but the database. A call that loses returns the winner's token.
    const call = {
      key: idempotencyKey,
      request: [
        'embed_token.issue',
        providedId,
        { aud, life, origin, actingFor, user, resources, variables, format, target: dto.target },
      ],
      onReplay: (manager: EntityManager) =>
        this.auditLog.record(manager, caller, {
          action: 'secret.show',
          object: { type: 'user_group', id: providedId },
          userGroupId: group.userGroupId,
        }),
    };
    const record = async (manager: EntityManager) => {
      const { jti, expires_at } = response.embed_token;
      await this.auditLog.record(manager, caller, {
        action: actingFor ? 'user_group.view_as' : target!.action,
        object: { type: 'user_group', id: providedId },
        userGroupId: group.userGroupId,
        details: {
          team_id: group.userGroupId,
          ...actingFor,
          audience: aud,
          jti,
          target: dto.target,
          user_id: target && user?.id,
          expires_at,
        },
      });
      return response;
    };
    const first = await this.gate.run(caller, () => this.calls.run(caller, call, record));
    const { token, expires_at: end } = first.embed_token;
    if (token === response.embed_token.token) return issued();
    if (Date.parse(end) <= currentTime()) throw new IdempotencyKeySpent(EXPIRED);
    return first;
  }

  /** @throws ValidationFailed where no feature provides targets; errors of `TargetTokens.open` */
  private open(workspaceId: number, name: string): Promise<OpenTarget> {
    if (this.targets) return this.targets.open(workspaceId, name);
    const detail = 'This service has no targets: the feature targets is switched off.';
    throw new ValidationFailed([{ pointer: '/target', code: 'not_acceptable', detail }]);
  }

  private async make(
    format: IssueEmbedTokenRequest['format'],
    claims: EmbedTokenClaims,
  ): Promise<EmbedTokenResponse> {
    const { token, kid } = await (format === 'opaque' ? this.encrypt(claims) : this.sign(claims));
    const { iat, exp, jti } = claims;
    return {
      success: 1,
      embed_token: {
        token,
        token_type: 'embed_token',
        expires_at: toWireTime(exp * 1000),
        expires_in: exp - iat,
        kid,
        jti,
      },
    };
  }

  private async sign(claims: EmbedTokenClaims) {
    const keys = await this.keys.of(claims.workspace_id);
    this.keys.keep(claims.workspace_id, keys);
    const [{ kid, privateKey }] = keys;
    const token = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid })
      .sign(privateKey);
    return { token, kid };
  }

  private async encrypt(claims: EmbedTokenClaims) {
    const [key] = this.keys.forContent(claims.workspace_id);
    return { token: await encryptClaims(claims, key), kid: key.kid };
  }
}

function toTargetResponse(
  target: string,
  { token, kid }: { token: string; kid: string },
  { iat, exp }: { iat: number; exp: number },
): EmbedTokenResponse {
  return {
    success: 1,
    embed_token: {
      token,
      token_type: 'target_token',
      target,
      expires_at: toWireTime(exp * 1000),
      expires_in: exp - iat,
      revocable: false,
      kid,
    },
  };
}

function formatRequired(): ValidationFailed {
  const detail =
    'Variables need the format opaque: a program that verifies a JWT offline would not see what they narrow.';
  return new ValidationFailed([{ pointer: '/format', code: 'format_required', detail }]);
}

function tooLongALife(most: number): ValidationFailed {
  const detail = `The expires_in_seconds must be at most ${most} with this target or with acting_for.`;
  return new ValidationFailed([{ pointer: '/expires_in_seconds', code: 'not_acceptable', detail }]);
}

/** @throws UserGroupInactive */
function requireActive(group: UserGroupSnapshot): void {
  const { status, reasons } = statusOf(group, group.rules);
  if (status === 'active' || status === 'unresolved') return;
  throw new UserGroupInactive(
    `No embed token is issued: ${reasons.map(({ detail }) => detail).join(' ')}`,
  );
}

/** @throws ValidationFailed */
function requireVariables({ rules, properties }: UserGroupSnapshot, sent: JsonObject = {}): void {
  const ofGroup = rules.variables.length > 0 ? (JSON.parse(properties) as JsonObject) : {};
  const violations = tokenVariableViolations(rules.variables, ofGroup, sent);
  if (violations.length > 0) throw new ValidationFailed(violations);
}

/** @throws ValidationFailed unless the workspace allows this audience */
function requireAllowed(audience: string | undefined, allowed: readonly string[]): void {
  if (audience === undefined || allowed.length === 0 || allowed.includes(audience)) return;
  const detail =
    'The workspace issues embed tokens for other audiences only: see embed_token_audiences of GET /api/v1/workspace.';
  throw new ValidationFailed([{ pointer: '/audience', code: 'not_acceptable', detail }]);
}

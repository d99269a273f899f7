import { Injectable } from '@nestjs/common';
import { SignJWT } from 'jose/jwt/sign';
import { TokenDisclosures } from '../audit/tally/token-disclosures.ts';
import type { Caller } from '../common/access/caller.ts';
import { randomBytes } from '../common/secret/random-bytes.ts';
import {
  UserGroupIncomplete,
  UserGroupNotFound,
  UserGroupSuspended,
  ValidationFailed,
} from '../common/problem/errors.ts';
import { toWireTime } from '../common/time.ts';
import { Config } from '../config/config.ts';
import { IdempotentCalls } from '../idempotency/idempotent-calls.ts';
import { UserGroupSnapshots } from '../user-group/snapshot/user-group-snapshots.ts';
import { UserGroupTokenRepository } from '../user-group/token/user-group-token.repository.ts';
import type { IssueEmbedTokenRequest } from './dto/embed-token.dto.ts';
import type { EmbedTokenResponse } from './dto/embed-token-response.dto.ts';
import { ALGORITHM, type EmbedTokenClaims, TYPE } from './embed-token.ts';
import { DEFAULT_LIFE_SECONDS } from './embed-token.rules.ts';
import { SigningKeys } from './signing-keys.ts';

const JTI_BYTES = 16;

/** Issues short-lived tokens that a browser may hold instead of the group's own token. */
@Injectable()
export class EmbedTokenService {
  constructor(
    private readonly tokens: UserGroupTokenRepository,
    private readonly snapshots: UserGroupSnapshots,
    private readonly keys: SigningKeys,
    private readonly config: Config,
    private readonly tokenDisclosures: TokenDisclosures,
    private readonly calls: IdempotentCalls,
  ) {}

  /**
   * Issues a token that ends no later than the group's current token. Nothing is stored, unless the call has a key.
   * @throws UserGroupNotFound, ValidationFailed, UserGroupSuspended, UserGroupIncomplete
   */
  async issue(
    caller: Caller,
    providedId: string,
    dto: IssueEmbedTokenRequest,
    idempotencyKey?: string,
  ): Promise<EmbedTokenResponse> {
    const { workspaceId } = caller;
    const group = await this.tokens.findCurrent({ workspaceId, providedId });
    if (!group) throw new UserGroupNotFound();
    requireAllowed(dto.audience, JSON.parse(group.embedTokenAudiences) as string[]);
    if (group.suspendedAt !== null) throw new UserGroupSuspended();
    const key = { workspaceId, userGroupId: group.userGroupId };
    const snapshot = await this.snapshots.find(key, { isFresh: true });
    if (snapshot?.isComplete === false) throw new UserGroupIncomplete();
    const { audience: aud, expires_in_seconds: life = DEFAULT_LIFE_SECONDS, origin } = dto;
    const iat = Math.floor(Date.now() / 1000);
    const answer = await this.sign({
      iss: group.embedTokenIssuer ?? this.config.embedTokenIssuer,
      sub: providedId,
      aud,
      iat,
      exp: iat + life,
      jti: randomBytes(JTI_BYTES).toString('base64url'),
      workspace_id: group.publicId,
      team_id: group.userGroupId,
      gen: group.generation,
      ...(origin !== undefined && { origin }),
    });
    this.tokenDisclosures.record(caller, 'embed_token', { id: group.userGroupId, providedId });
    if (idempotencyKey === undefined) return answer;
    // Signed before: a transaction waits for the database alone. A call that has lost returns the token of the first.
    const call = { key: idempotencyKey, request: ['embed_token.issue', providedId, dto] };
    return this.calls.run(caller, call, () => Promise.resolve(answer));
  }

  private async sign(claims: EmbedTokenClaims): Promise<EmbedTokenResponse> {
    const { kid, privateKey } = this.keys.current;
    const token = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid })
      .sign(privateKey);
    const { exp, jti } = claims;
    return {
      success: 1,
      embed_token: { token, token_type: 'embed_token', expires_at: toWireTime(exp * 1000), kid, jti },
    };
  }
}

/** @throws ValidationFailed unless the workspace allows this audience */
function requireAllowed(audience: string, allowed: readonly string[]): void {
  if (allowed.length === 0 || allowed.includes(audience)) return;
  const detail =
    'The workspace issues embed tokens for other audiences only: see embed_token_audiences of GET /api/v1/workspace.';
  throw new ValidationFailed([{ pointer: '/audience', code: 'not_acceptable', detail }]);
}

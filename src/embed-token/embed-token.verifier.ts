import { Injectable } from '@nestjs/common';
import { JWKSNoMatchingKey } from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { Config } from '../config/config.ts';
import type { EmbeddingWorkspace } from '../user-group/token/user-group-token.repository.ts';
import { ALGORITHM, claimsOf, type EmbedTokenClaims, TYPE } from './embed-token.ts';
import { SigningKeys } from './signing-keys.ts';

/** With the longest id, audience, origin and issuer a token has less than 4,500 characters. */
const MAX_LENGTH = 4608;
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Verifying a signature takes a third of a millisecond, and dashboards send the same token repeatedly. */
const MAX_REMEMBERED = 1000;

/** Verifies embed tokens: issued by this installation, and not expired. */
@Injectable()
export class EmbedTokenVerifier {
  /** By the hash of the text. Only verified tokens are cached, so guessing cannot fill it. */
  private readonly verified = new LRUCache<string, EmbedTokenClaims>({ max: MAX_REMEMBERED });

  constructor(
    private readonly keys: SigningKeys,
    private readonly config: Config,
  ) {}

  /**
   * Returns the claims; undefined for any other text, whatever is wrong with it. The caller still
   * has to check its workspace, that the group exists and that its token is valid.
   */
  async verify(text: string): Promise<EmbedTokenClaims | undefined> {
    if (text.length > MAX_LENGTH || !COMPACT_JWS.test(text)) return undefined;
    const hash = createHash('sha256').update(text).digest('base64');
    const claims = this.verified.get(hash) ?? (await this.check(text));
    if (!claims || claims.exp * 1000 <= Date.now()) return undefined;
    this.verified.set(hash, claims);
    return claims;
  }

  /**
   * Whether the token names this workspace. Tokens of the previous version name none: they live for
   * a day at most, tied to theirs by the number of the group alone.
   */
  isOf(
    { publicId, embedTokenIssuer }: EmbeddingWorkspace,
    { workspace_id: workspaceId = publicId, iss }: EmbedTokenClaims,
  ): boolean {
    return workspaceId === publicId && iss === (embedTokenIssuer ?? this.config.embedTokenIssuer);
  }

  /** Takes the key from the ring alone; of the key parameters in the header it uses only `kid`. */
  private async check(text: string): Promise<EmbedTokenClaims | undefined> {
    try {
      const { payload } = await jwtVerify(text, ({ kid }) => this.getPublicKey(kid), {
        algorithms: [ALGORITHM],
        typ: TYPE,
        requiredClaims: ['iss', 'sub', 'aud', 'iat', 'exp', 'jti', 'team_id', 'gen'],
      });
      return claimsOf(payload);
    } catch {
      return undefined;
    }
  }

  private getPublicKey(kid: string | undefined) {
    const key = this.keys.find(kid);
    if (!key) throw new JWKSNoMatchingKey();
    return key.publicJwk;
  }
}

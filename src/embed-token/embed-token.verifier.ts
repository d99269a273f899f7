import { Injectable } from '@nestjs/common';
import { errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { Config } from '../config/config';
import type { EmbeddingWorkspace } from '../user-group/user-group-token.repository';
import { ALGORITHM, claimsOf, type EmbedTokenClaims, TYPE } from './embed-token';
import { SigningKeys } from './signing-keys';

/** With the longest id, audience, origin and issuer a token has less than 4,500 characters. */
const MAX_LENGTH = 4608;
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** The check of a signature takes a third of a millisecond, and a dashboard asks again and again. */
const MAX_REMEMBERED = 1000;

/** Tells whether a text is an embed token of this installation that has not expired. */
@Injectable()
export class EmbedTokenVerifier {
  /** By the hash of the text; only what was verified, so that guessing cannot fill it. */
  private readonly verified = new LRUCache<string, EmbedTokenClaims>({ max: MAX_REMEMBERED });

  constructor(
    private readonly keys: SigningKeys,
    private readonly config: Config,
  ) {}

  /**
   * Its claims; undefined for every other text, whatever the doubt. Whether it is one of the caller's
   * workspace, the group is still there and its token still valid is for the caller to see.
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
   * Whether what was verified names this workspace. A token of a version before names none: for the
   * day that it lives at most, it is tied to its workspace by the number of the group alone.
   */
  isOf(
    { publicId, embedTokenIssuer }: EmbeddingWorkspace,
    { workspace_id: workspaceId = publicId, iss }: EmbedTokenClaims,
  ): boolean {
    return workspaceId === publicId && iss === (embedTokenIssuer ?? this.config.embedTokenIssuer);
  }

  /** The key comes from the ring alone: what a header says about keys beside `kid` is not read. */
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
    if (!key) throw new errors.JWKSNoMatchingKey();
    return key.publicJwk;
  }
}

import { Injectable } from '@nestjs/common';
import { JWKSNoMatchingKey } from 'jose/errors';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { decodeJwt } from 'jose/jwt/decode';
import { jwtVerify } from 'jose/jwt/verify';
import { LRUCache } from 'lru-cache';
import { hashTokenText } from '../../platform/common/secret/secrets.ts';
import { currentTime } from '../../platform/common/time.ts';
import { Config } from '../../platform/config/config.ts';
import type { EmbeddingWorkspace } from '../user-group/token/user-group-token.repository.ts';
import { ALGORITHM, claimsOf, type EmbedTokenClaims, TYPE } from './embed-token.ts';
import { issuerOf } from '../workspace/workspace-issuer.ts';
import type { JsonWebKey } from './dto/workspace-keys.dto.ts';
import type { SigningKey } from './signing/signing-key.ts';
import { decryptClaims, type NamedContentKey, readOpaque } from './signing/opaque-token.ts';
import { SigningKeys, type WorkspaceKeys } from './signing/signing-keys.ts';

/** A token with the longest of all texts has less than 18,000 characters. */
const MAX_LENGTH = 18_432;
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Verifying a signature takes a third of a millisecond, and dashboards send the same token repeatedly. */
const MAX_REMEMBERED = 1000;

/** Facts of a text that has the form of an embed token. */
export interface UnverifiedToken {
  /** Public id of the workspace that it names. */
  workspaceId: string;
  /** The key that it names, if this workspace has it. */
  kid: string | undefined;
  isOpaque: boolean;
  /** Its claims, if a key of this workspace has made it; it may have expired since. */
  claims: EmbedTokenClaims | undefined;
}

@Injectable()
export class EmbedTokenVerifier {
  /** Keyed by the hash of the text. Only verified tokens are cached, so guessing cannot fill it. */
  private readonly verified = new LRUCache<string, EmbedTokenClaims>({ max: MAX_REMEMBERED });

  constructor(
    private readonly keys: SigningKeys,
    private readonly config: Config,
  ) {}

  /**
   * Returns the claims; undefined for any other text. The caller still has to check the workspace, that the group
   * exists and that its token is valid.
   */
  async verify(text: string): Promise<EmbedTokenClaims | undefined> {
    if (text.length > MAX_LENGTH) return undefined;
    const opaque = readOpaque(text);
    if (!opaque && !COMPACT_JWS.test(text)) return undefined;
    const hash = hashTokenText(text);
    const claims =
      this.verified.get(hash) ?? (await (opaque ? this.decrypt(text, opaque) : this.check(text)));
    if (!claims || claims.exp * 1000 <= currentTime()) return undefined;
    this.verified.set(hash, claims);
    return claims;
  }

  /** Reads what a text is, for people, whether it can be trusted or not; undefined if it is no embed token. */
  async read(text: string): Promise<UnverifiedToken | undefined> {
    if (text.length > MAX_LENGTH) return undefined;
    const opaque = readOpaque(text);
    if (opaque) {
      const { kid, workspaceId } = opaque;
      const known = this.keys.forContent(workspaceId).some((key) => key.kid === kid);
      const claims = await this.decrypt(text, opaque);
      return { workspaceId, kid: known ? kid : undefined, isOpaque: true, claims };
    }
    return COMPACT_JWS.test(text) ? this.readSigned(text) : undefined;
  }

  /** Tells whether the token names this workspace. */
  isOf(workspace: EmbeddingWorkspace, { workspace_id, iss }: EmbedTokenClaims): boolean {
    return workspace_id === workspace.publicId && iss === issuerOf(this.config, workspace);
  }

  /** Uses only `kid` of the key parameters in the header; the keys are those of the workspace that the token names. */
  private async check(
    text: string,
    currentDate = new Date(currentTime()),
  ): Promise<EmbedTokenClaims | undefined> {
    try {
      const { workspace_id: workspaceId } = decodeJwt<Pick<EmbedTokenClaims, 'workspace_id'>>(text);
      const keys = await this.keys.of(workspaceId);
      const { payload } = await jwtVerify(text, ({ kid }) => publicKeyOf(keys, kid), {
        algorithms: [ALGORITHM],
        typ: TYPE,
        currentDate,
        requiredClaims: [
          'iss',
          'sub',
          'aud',
          'iat',
          'exp',
          'iat_ms',
          'epoch',
          'jti',
          'workspace_id',
          'team_id',
          'gen',
        ],
      });
      this.keys.keep(workspaceId, keys);
      return claimsOf(payload);
    } catch {
      return undefined;
    }
  }

  private async decrypt(
    text: string,
    { kid, workspaceId }: NamedContentKey,
  ): Promise<EmbedTokenClaims | undefined> {
    const key = this.keys.forContent(workspaceId).find((one) => one.kid === kid);
    if (!key) return undefined;
    try {
      const claims = claimsOf(await decryptClaims(text, key));
      return claims?.workspace_id === workspaceId ? claims : undefined;
    } catch {
      return undefined;
    }
  }

  private async readSigned(text: string): Promise<UnverifiedToken | undefined> {
    try {
      const unverified = claimsOf(decodeJwt(text));
      if (!unverified) return undefined;
      const { workspace_id: workspaceId, iat } = unverified;
      const keys = await this.keys.of(workspaceId);
      const kid = findKey(keys, decodeProtectedHeader(text).kid)?.kid;
      // Compared with the clock of its issue: an expired token can be signed.
      const claims = await this.check(text, new Date(iat * 1000));
      return { workspaceId, kid, isOpaque: false, claims };
    } catch {
      return undefined;
    }
  }
}

function findKey(keys: WorkspaceKeys, kid: string | undefined): SigningKey | undefined {
  return keys.find((key) => key.kid === kid);
}

/** @throws JWKSNoMatchingKey */
function publicKeyOf(keys: WorkspaceKeys, kid: string | undefined): JsonWebKey {
  const key = findKey(keys, kid);
  if (!key) throw new JWKSNoMatchingKey();
  return key.publicJwk;
}

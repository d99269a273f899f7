import type { JWTPayload } from 'jose';

/** `alg` of every embed token; no other is made or accepted. */
export const ALGORITHM = 'ES256';
/** `typ` of every embed token: the one that libraries accept by default. */
export const TYPE = 'JWT';

/**
 * The claims of an embed token: its owner and the generation it depends on, nothing about the group
 * itself.
 */
export interface EmbedTokenClaims {
  iss: string;
  /** The host application's own id of the group. */
  sub: string;
  aud: string;
  /** Seconds since 1970, like `exp`. */
  iat: number;
  exp: number;
  jti: string;
  /** Public id of the group's workspace; missing in tokens of earlier versions. */
  workspace_id?: string;
  /** Internal id of the group, unique in the installation for ever. */
  team_id: number;
  /** The generation of the group's token that was current: the embed token ends with it. */
  gen: number;
  /** The web origin of the page that it was issued for, if it was issued for one. */
  origin?: string;
}

/** Reads the claims of a payload whose signature is valid; undefined if it is no embed token's. */
export function claimsOf(payload: JWTPayload): EmbedTokenClaims | undefined {
  const { iss, sub, aud, jti, origin, iat, exp } = payload;
  const { workspace_id, team_id, gen } = payload;
  const areTexts = [iss, sub, aud, jti, origin ?? '', workspace_id ?? ''].every(
    (claim) => typeof claim === 'string',
  );
  const areNumbers = [iat, exp, team_id, gen].every(Number.isSafeInteger);
  return areTexts && areNumbers ? (payload as unknown as EmbedTokenClaims) : undefined;
}

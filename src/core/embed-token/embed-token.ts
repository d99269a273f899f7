import type { JWTPayload } from 'jose';
import type { JsonObject } from '../../platform/common/json/strict-json.ts';
import type { EndedTogether } from '../user-group/token/user-group-token.repository.ts';

/** The only `alg` of a signature that is issued or accepted. */
export const ALGORITHM = 'ES256';
/** The `typ` that libraries accept by default. */
export const TYPE = 'JWT';

/** Something that a viewer may open, such as a dashboard. */
export interface EmbedResource {
  type: string;
  id: string;
}

/** The claims about the person who looks, as the call that issued the token named them. */
export interface ViewerClaims {
  /** The host application's own id, unique within the group. */
  user_id?: string;
  user_name?: string;
  email?: string;
  /** The only resources that the token is for; absent for every one. */
  resources?: readonly EmbedResource[];
}

/** The claims of an embed token: its owner and the generation it depends on, nothing about the group itself. */
export interface EmbedTokenClaims extends ViewerClaims {
  iss: string;
  sub: string;
  aud: string;
  /** Seconds since 1970, like `exp`. */
  iat: number;
  exp: number;
  /** `iat` in milliseconds: compared with the time before which embed tokens of the workspace were ended. */
  iat_ms: number;
  /** Number of times that all embed tokens of the workspace had been ended: the next time ends this one. */
  epoch: number;
  jti: string;
  /** Public id of the group's workspace. */
  workspace_id: string;
  /** Internal id of the group, unique in the installation and never reused. */
  team_id: number;
  /** The current generation of the group's token, with which the embed token ends. */
  gen: number;
  /** The web origin of the page that it was issued for, if any. */
  origin?: string;
  /** The variables of the token, and narrowed lists of the group; never in a signed token, which anybody can read. */
  variables?: JsonObject;
  /** The one who acts for the group (RFC 8693, section 4.1), if it was issued for somebody who does. */
  act?: { sub: string };
}

/** Tells whether a token was ended together with others. */
export function isEmbedTokenEnded(
  { epoch, iat_ms }: EmbedTokenClaims,
  { embedTokensEpoch, embedTokensEndedBefore }: EndedTogether,
): boolean {
  return epoch < embedTokensEpoch || iat_ms < (embedTokensEndedBefore ?? 0);
}

/** Returns the claims about the viewer alone. */
export function viewerOf({ user_id, user_name, email, resources }: ViewerClaims): ViewerClaims {
  return {
    ...(user_id !== undefined && { user_id }),
    ...(user_name !== undefined && { user_name }),
    ...(email !== undefined && { email }),
    ...(resources && { resources }),
  };
}

/** Reads the claims of a verified payload; undefined if it is not from an embed token. */
export function claimsOf(payload: JWTPayload): EmbedTokenClaims | undefined {
  const { iss, sub, aud, jti, origin, iat, exp } = payload;
  const { iat_ms, epoch, workspace_id, team_id, gen, act } = payload;
  const { sub: actor } = (act ?? { sub: '' }) as { sub?: unknown };
  const areTexts = [iss, sub, aud, jti, workspace_id, origin ?? '', actor].every(
    (claim) => typeof claim === 'string',
  );
  const areNumbers = [iat, exp, iat_ms, epoch, team_id, gen].every(Number.isSafeInteger);
  return areTexts && areNumbers ? (payload as unknown as EmbedTokenClaims) : undefined;
}

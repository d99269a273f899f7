import type { Schemas } from '../../own-types.ts';

export type ApiToken = Schemas['ApiToken'];

export const TONES: Record<ApiToken['state'], string> = {
  active: 'good',
  superseded: 'accent',
  expired: '',
  revoked: '',
};

/** Tells whether it no longer grants access; a superseded token still does, in its overlap. */
export function isDead(token: ApiToken): boolean {
  return (
    token.state === 'revoked' ||
    token.state === 'expired' ||
    (token.expires_at !== null && Date.parse(token.expires_at) <= Date.now())
  );
}

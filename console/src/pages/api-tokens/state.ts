import type { Schemas } from '../../own-types.ts';

export type ApiToken = Schemas['ApiTokenView'];

export const TONES: Record<ApiToken['state'], string> = {
  active: 'good',
  superseded: 'accent',
  expired: '',
  revoked: '',
};

/** Whether it still opens anything: what is superseded lives on in its overlap. */
export function isDead(token: ApiToken): boolean {
  return (
    token.state === 'revoked' ||
    token.state === 'expired' ||
    (token.expires_at !== null && Date.parse(token.expires_at) <= Date.now())
  );
}

import type { Schemas } from '../../own-types.ts';
import { Badge, span } from '../../ui/text.tsx';

export type ApiToken = Schemas['ApiToken'];

const TONES: Record<ApiToken['state'], string> = {
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

export function State({ token }: { token: ApiToken }) {
  const { state } = token;
  return (
    <Badge tone={TONES[state]}>
      {state === 'superseded' && !isDead(token)
        ? `old, valid ${span(token.expires_at!)} more`
        : state}
    </Badge>
  );
}

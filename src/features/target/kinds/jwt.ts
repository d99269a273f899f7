import { targetAlgorithms } from '../definition/target-definition.ts';
import { actOf, claimsBut, type KindRules, WRITTEN_CLAIMS } from './kind.ts';

/** Any program that verifies a JWT (RFC 7519) with a key of the target, and expects these claims. */
export const jwt: KindRules = {
  algorithms: targetAlgorithms,
  audience: 'optional',
  has: ['unfiltered'],
  hasIat: true,
  maxSeconds: 3600,
  claims: () => claimsBut(WRITTEN_CLAIMS, () => []),
  filter: ({ claims: value }) => ({ pointer: '/claims', value }),
  make: (claims, _definition, grant) => ({ ...claims, ...actOf(grant) }),
};

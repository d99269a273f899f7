import { actOf, claimsBut, type KindRules, nothingEmpty, WRITTEN_CLAIMS } from './kind.ts';

/**
 * The security context of Cube, which it reads from the payload (`gateway.ts`, `createDefaultCheckAuth`). Cube puts `u`
 * over all other claims, and gives `scope` a meaning, so both are refused. The token is for a server that calls Cube.
 */
export const cube: KindRules = {
  algorithms: ['HS256'],
  audience: 'optional',
  has: ['unfiltered'],
  hasIat: false,
  maxSeconds: 3600,
  claims: (leaf) =>
    claimsBut(
      {
        ...WRITTEN_CLAIMS,
        u: 'Cube would put it over all other claims.',
        scope: 'Cube takes it for rights of the playground.',
      },
      leaf(nothingEmpty),
    ),
  filter: ({ claims: value }) => ({ pointer: '/claims', value }),
  make: (claims, _definition, grant) => ({ ...claims, ...actOf(grant) }),
};

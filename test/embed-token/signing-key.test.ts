import { createHash, sign, verify } from 'node:crypto';
import { deriveSigningKey } from '../../src/core/embed-token/signing/signing-key.ts';
import { SigningKeys } from '../../src/core/embed-token/signing/signing-keys.ts';
import { KeyRing } from '../../src/core/encryption-key/key-ring.ts';
import { NO_WORKSPACE } from '../support/api/workspace-keys.ts';

const WORKSPACE = 'ws_6f1d0a0c5b7e4a39b1c2d3e4f5a60718';

const ringOf = (...names: string[]) =>
  new KeyRing(names.map((id) => ({ id, secret: createHash('sha256').update(id).digest() })));

// Computed by another program from RFC 5869, FIPS 186-5 A.2.1 and the curve alone.
test.each([
  [
    Buffer.alloc(32, 7),
    WORKSPACE,
    'ZNdVg4rvXhn4t8uSxUKTjxA4qdTxmun3oQWNHxsgrSA',
    'pO6-bAsFX5j9qKopZIE2dL-rJzDr4QsMNyZnE_TNv2U',
    'dUtUAMB9P5DOkRwGibvCRZhPhV5Rn50HrY6D7iqHXQ0',
    'F0Y2pKISITslKVLodAAq7DNU0l02Lbrv9G4ApI5sh1o',
  ],
  [
    Buffer.from(Array.from({ length: 32 }, (_, index) => index)),
    WORKSPACE,
    'euor4qRsP7NBvVXNs3dKQPzOiyKO9lAd7m71pTM_7zM',
    'sK1fCFz5Slq8Yim3LaHaqHDKw5RHTC5RAwFJIHrCxpA',
    'SZgZI_1iZzLWlFnB6ujRylBlrCAa1aWL26HfOgOsOmo',
    'sq7uRyCD4w5qm9DRjxAxdUKiaSMaVSdoZBCsMXdA0KE',
  ],
  [
    Buffer.alloc(32, 7),
    NO_WORKSPACE,
    'V5wIEAjCwwxh2DBsGKBM_HmCdDrddTKCi8owYGFOK20',
    'QAm6b8cUnh1Bpq29t-vk-3atTg3af_bugetHhTfOFRs',
    '9Zn_TWP9CJMytbqw1LoPk_jECaANbd5dlouwb_k-KlU',
    '4DQ57nhh_fqvVJReKovhnA3iQVr1M73SwZszpPl9eCk',
  ],
])(
  'a secret and a workspace always give the same key %#',
  async (secret, workspace, d, x, y, kid) => {
    const key = await deriveSigningKey(secret, workspace);
    expect(key.privateKey.export({ format: 'jwk' })).toEqual({ kty: 'EC', crv: 'P-256', x, y, d });
    expect(key.publicJwk).toEqual({ kty: 'EC', crv: 'P-256', x, y, use: 'sig', alg: 'ES256', kid });
    expect(key.kid).toBe(kid);
  },
);

test('the public key verifies what the private key signs, for any secret', async () => {
  for (let round = 0; round < 50; round++) {
    const { privateKey, publicJwk } = await deriveSigningKey(
      createHash('sha256').update(`secret ${round}`).digest(),
      WORKSPACE,
    );
    const signature = sign('sha256', Buffer.from('text'), privateKey);
    const key = { key: { ...publicJwk }, format: 'jwk' } as const;
    expect(verify('sha256', Buffer.from('text'), key, signature)).toBe(true);
  }
});

test('the first key of the ring signs, and every one is published once, without its private half', async () => {
  const keysOf = (ring: KeyRing, workspaceId = WORKSPACE) => new SigningKeys(ring).of(workspaceId);
  const both = await keysOf(ringOf('a', 'b'));
  const [[first], [second]] = [await keysOf(ringOf('a')), await keysOf(ringOf('b'))];
  expect(both.map(({ kid }) => kid)).toEqual([first.kid, second.kid]);
  expect(both.flatMap(({ publicJwk }) => Object.keys(publicJwk))).not.toContain('d');
  const others = (await keysOf(ringOf('a', 'b'), NO_WORKSPACE)).map(({ kid }) => kid);
  expect(new Set([...others, first.kid, second.kid]).size).toBe(4);
  // One secret under two ids is one key.
  const { secret } = ringOf('a').current;
  const twice = new KeyRing([
    { id: 'k2', secret },
    { id: 'k1', secret },
  ]);
  expect(await keysOf(twice)).toHaveLength(1);
});

test('the keys of an id that is only asked for are not kept', async () => {
  const keys = new SigningKeys(ringOf('one'));
  const derived = await keys.of(NO_WORKSPACE);
  expect(await keys.of(NO_WORKSPACE)).not.toBe(derived);
  keys.keep(WORKSPACE, await keys.of(WORKSPACE));
  expect(await keys.of(WORKSPACE)).toBe(await keys.of(WORKSPACE));
});

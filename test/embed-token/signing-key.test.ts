import { createHash, sign, verify } from 'node:crypto';
import { deriveSigningKey } from '../../src/core/embed-token/signing/signing-key.ts';
import { SigningKeys } from '../../src/core/embed-token/signing/signing-keys.ts';
import { KeyRing } from '../../src/core/encryption-key/key-ring.ts';

const ringOf = (...names: string[]) =>
  new KeyRing(names.map((id) => ({ id, secret: createHash('sha256').update(id).digest() })));

// Computed by another program from RFC 5869, FIPS 186-5 A.2.1 and the curve alone.
test.each([
  [
    Buffer.alloc(32, 7),
    'uyJtX-skMBM22-pLlr5Qq6Eo7o0AxE7EBFPH-znSDiw',
    'F5jyoqYTtKIAS6WUq8Dr9LKeMtZHQq17N4qVto5_-d4',
    'KbwjkXknuyZPxSa63sjo_rY7cDlu255bPa77yzxMllA',
    'Ia7Z8HTC-9jNUVqIyGBnVGXuZdKkcfLsA2tjK0BHRPw',
  ],
  [
    Buffer.from(Array.from({ length: 32 }, (_, index) => index)),
    'tRWVtYNUuZSwhvUcKBN-XpY5ZH_ZK64322iupFFtax8',
    '2zcGvRgu8bOmLGT_ixzveorG4l7S0wfLHUMw6bHFazg',
    'Of0rEQt7LyLJNhDXFp4ZiWDtSPj2-h2o53L_mTyWeMo',
    'EGxcoh1blJkksPCtFED5yEZinlli2vcBp-CqJ6gxx_I',
  ],
])('a secret always gives the same key %#', async (secret, d, x, y, kid) => {
  const key = await deriveSigningKey(secret);
  expect(key.privateKey.export({ format: 'jwk' })).toEqual({ kty: 'EC', crv: 'P-256', x, y, d });
  expect(key.publicJwk).toEqual({ kty: 'EC', crv: 'P-256', x, y, use: 'sig', alg: 'ES256', kid });
  expect(key.kid).toBe(kid);
});

test('the public key verifies what the private key signs, for any secret', async () => {
  for (let round = 0; round < 50; round++) {
    const { privateKey, publicJwk } = await deriveSigningKey(
      createHash('sha256').update(`secret ${round}`).digest(),
    );
    const signature = sign('sha256', Buffer.from('text'), privateKey);
    const key = { key: { ...publicJwk }, format: 'jwk' } as const;
    expect(verify('sha256', Buffer.from('text'), key, signature)).toBe(true);
  }
});

test('the first key of the ring signs, and every one is published once, without its private half', async () => {
  const [both, first, second] = await Promise.all(
    [ringOf('a', 'b'), ringOf('a'), ringOf('b')].map((ring) => SigningKeys.of(ring)),
  );
  expect(both!.current.kid).toBe(first!.current.kid);
  expect(both!.publicJwks.map(({ kid }) => kid)).toEqual([first!.current.kid, second!.current.kid]);
  expect(both!.publicJwks.flatMap((jwk) => Object.keys(jwk))).not.toContain('d');
  // One secret under two ids is one key.
  const { secret } = ringOf('a').current;
  const twice = await SigningKeys.of(
    new KeyRing([
      { id: 'k2', secret },
      { id: 'k1', secret },
    ]),
  );
  expect(twice.publicJwks).toHaveLength(1);
});

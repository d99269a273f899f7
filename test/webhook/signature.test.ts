import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import {
  generateSigningSecret,
  signatureOf,
} from '../../src/features/webhook/sending/signature.ts';

const message = () => ({
  id: 'evt_4711',
  timestamp: Math.floor(Date.now() / 1000),
  body: '{"type":"user_group.update","data":{"name":"Ä 😀"}}',
});

const headersOf = ({ id, timestamp }: ReturnType<typeof message>, signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});

test('the public library verifies v1, and refuses what was changed', () => {
  const { secret, publicKey } = generateSigningSecret('v1');
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(publicKey).toBeNull();
  const sent = message();
  const headers = headersOf(sent, signatureOf(sent, [secret]));
  const receiver = new Webhook(secret);
  expect(receiver.verify(sent.body, headers)).toEqual(JSON.parse(sent.body));
  expect(() => receiver.verify(`${sent.body} `, headers)).toThrow();
  expect(() => receiver.verify(sent.body, { ...headers, 'webhook-id': 'evt_4712' })).toThrow();
  expect(() =>
    new Webhook(generateSigningSecret('v1').secret).verify(sent.body, headers),
  ).toThrow();
});

test('the signature is that of the specification’s example', () => {
  const known = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
  };
  expect(signatureOf(known, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('with two secrets a receiver accepts that knows either', () => {
  const secrets = [generateSigningSecret('v1').secret, generateSigningSecret('v1').secret];
  const sent = message();
  const headers = headersOf(sent, signatureOf(sent, secrets));
  for (const secret of secrets) {
    expect(new Webhook(secret).verify(sent.body, headers)).toEqual(JSON.parse(sent.body));
  }
});

describe('v1a', () => {
  const sent = message();
  const { secret, publicKey } = generateSigningSecret('v1a');
  const [version, signature] = signatureOf(sent, [secret]).split(',');
  const key = Buffer.from(publicKey!.slice('whpk_'.length), 'base64');
  const content = Buffer.from(`${sent.id}.${sent.timestamp}.${sent.body}`);

  test('the public key alone verifies it', () => {
    expect(secret).toMatch(/^whsk_[A-Za-z0-9+/]{86}==$/);
    expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') };
    const verifier = createPublicKey({ key: jwk, format: 'jwk' });
    expect(version).toBe('v1a');
    expect(verify(null, content, verifier, Buffer.from(signature!, 'base64'))).toBe(true);
    expect(verify(null, Buffer.from('x'), verifier, Buffer.from(signature!, 'base64'))).toBe(false);
  });
});

test.each([16, 23, 65])('a secret of %d bytes is refused', (length) => {
  const secret = `whsec_${Buffer.alloc(length, 7).toString('base64')}`;
  expect(() => signatureOf(message(), [secret])).toThrow(RangeError);
});

test.each([24, 64])('a secret of %d bytes is accepted', (length) => {
  const secret = `whsec_${Buffer.alloc(length, 7).toString('base64')}`;
  const sent = message();
  const headers = headersOf(sent, signatureOf(sent, [secret]));
  expect(new Webhook(secret).verify(sent.body, headers)).toEqual(JSON.parse(sent.body));
});

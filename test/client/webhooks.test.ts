import { inspect } from 'node:util';
import { verifyWebhook, WebhookVerificationError } from '../../clients/typescript/index.ts';
import {
  generateSigningSecret,
  signatureOf,
} from '../../src/features/webhook/sending/signature.ts';

const BODY =
  '{"type":"user_group.update","timestamp":"2030-01-01T12:00:00.000Z","data":{"user_group":{"name":"ä"}}}';

/** A message as the service sends it. */
function message(secrets: string[], { ago = 0, body = BODY } = {}) {
  const timestamp = Math.floor(Date.now() / 1000) - ago;
  const signature = signatureOf({ id: 'evt_4711', timestamp, body }, secrets);
  return {
    body,
    headers: {
      'webhook-id': 'evt_4711',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    },
  };
}

describe.each(['v1', 'v1a'] as const)('the signature %s', (scheme) => {
  const { secret, publicKey } = generateSigningSecret(scheme);
  const key = publicKey ?? secret;
  const other = generateSigningSecret(scheme);

  test('is accepted, of bytes or a text, also beside another and with two secrets', () => {
    const { body, headers } = message([secret]);
    const wanted = { ...(JSON.parse(BODY) as object), id: 'evt_4711' };
    expect(verifyWebhook(body, headers, key)).toEqual(wanted);
    expect(verifyWebhook(Buffer.from(body), new Headers(headers), `${key}\n`)).toEqual(wanted);
    expect(verifyWebhook(body, message([other.secret, secret]).headers, key)).toEqual(wanted);
    expect(verifyWebhook(body, headers, [other.publicKey ?? other.secret, key])).toEqual(wanted);
  });

  test('is refused of another secret, another body, an old or a later message, and none', () => {
    const { body, headers } = message([secret]);
    const refused: [string, Record<string, string>][] = [
      [body, message([other.secret]).headers],
      [`${body} `, headers],
      [body, message([secret], { ago: 301 }).headers],
      [body, message([secret], { ago: -400 }).headers],
      [body, { ...headers, 'webhook-id': 'evt_1' }],
      [body, { ...headers, 'webhook-timestamp': 'NaN' }],
      [body, { ...headers, 'webhook-timestamp': '9'.repeat(5000) }],
      [body, { ...headers, 'webhook-id': 'evt_\ud800' }],
      [body, { ...headers, 'webhook-signature': `${scheme},\ud800` }],
      [body, { ...headers, 'webhook-signature': `${scheme},AAAA` }],
      [body, { ...headers, 'webhook-signature': '' }],
      [body, {}],
      ['[1]', message([secret], { body: '[1]' }).headers],
    ];
    for (const [text, given] of refused) {
      expect(() => verifyWebhook(text, given, key)).toThrow(WebhookVerificationError);
    }
    expect(() =>
      verifyWebhook(body, message([secret], { ago: 301 }).headers, key, { toleranceSeconds: 400 }),
    ).not.toThrow();
  });
});

test.each([
  ['A', false],
  [Buffer.alloc(23, 1).toString('base64'), false],
  [Buffer.alloc(24, 1).toString('base64'), true],
  [Buffer.alloc(64, 1).toString('base64'), true],
  [Buffer.alloc(65, 1).toString('base64'), false],
])('a secret has a key of 24 to 64 bytes, as Standard Webhooks asks: %s', (key, isOne) => {
  const { body, headers } = message([isOne ? `whsec_${key}` : generateSigningSecret('v1').secret]);
  const verify = () => verifyWebhook(body, headers, `whsec_${key}`);
  if (isOne) expect(verify().id).toBe('evt_4711');
  else expect(verify).toThrow(TypeError);
});

test('a signature of one scheme is none of the other, and a private key is no public one', () => {
  const [one, other] = [generateSigningSecret('v1'), generateSigningSecret('v1a')];
  const { body, headers } = message([one.secret]);
  expect(() => verifyWebhook(body, headers, other.publicKey!)).toThrow(WebhookVerificationError);
  for (const wrong of [other.secret, 's3cret', '', 'whsec_', 'whpk_AAAA']) {
    let shown = '';
    try {
      verifyWebhook(body, headers, wrong);
    } catch (error) {
      shown = inspect(error);
    }
    expect(shown).toContain('TypeError');
    expect(shown.includes(wrong.slice(6)) && wrong.length > 8).toBe(false);
  }
});

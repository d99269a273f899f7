import { Flag, Integer, OneOf, Text, Time } from '../../../platform/common/fields.ts';
import { response } from '../../../platform/common/http/responses/response.ts';

/** An embed token with the data that its caller may need without parsing it. */
export class EmbedToken {
  @Text(
    'The token, a JWT or of the format `opaque`: pass it to the page that embeds the dashboard.',
    'eyJ…',
  )
  token!: string;

  @OneOf(
    ['embed_token', 'target_token'],
    'The kind of token: an embed token, as an introspection names it, or what the tool of a target takes.',
    'embed_token',
  )
  token_type!: 'embed_token' | 'target_token';

  @Text.optional('The target that issued it.', 'bi')
  target?: string;

  @Flag.optional('False for a token of a target: nothing ends it before it expires.', false)
  revocable?: false;

  @Time('Expiry, unless it is ended sooner.', '2030-01-01T12:10:00.000Z')
  expires_at!: string;

  @Integer(
    'Seconds from its issue for which it is valid, unless it is ended sooner (RFC 6749, section 5.1).',
    600,
  )
  expires_in!: number;

  @Text(
    'Id of the key that signed or encrypted it, of the workspace or of the target.',
    'PEcRXrG2ktLDmxbKpKHuUcM7W1s6f3sgcUPOfXqzBrE',
  )
  kid!: string;

  @Text.optional(
    'Id of an embed token, which is also a claim of it and part of introspection responses.',
    'Jb0X4p5mTqGdR0o1c3Y2kA',
  )
  jti?: string;
}

export class EmbedTokenResponse extends response('embed_token', EmbedToken, 'The embed token.') {}

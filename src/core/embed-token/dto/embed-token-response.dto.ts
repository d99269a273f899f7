import { Constant, Integer, Text, Time } from '../../../platform/common/fields.ts';
import { response } from '../../../platform/common/http/responses/response.ts';

/** An embed token with the data that its caller may need without parsing it. */
export class EmbedToken {
  @Text(
    'The token, a JWT or of the format `opaque`: pass it to the page that embeds the dashboard.',
    'eyJ…',
  )
  token!: string;

  @Constant('embed_token', 'The kind of token, as an introspection names it.')
  token_type!: 'embed_token';

  @Time('Expiry, unless it is ended sooner.', '2030-01-01T12:10:00.000Z')
  expires_at!: string;

  @Integer(
    'For how many seconds from its issue on it is valid, unless it is ended sooner (RFC 6749, section 5.1).',
    600,
  )
  expires_in!: number;

  @Text(
    'Id of the key of the workspace that signed or encrypted it.',
    'PEcRXrG2ktLDmxbKpKHuUcM7W1s6f3sgcUPOfXqzBrE',
  )
  kid!: string;

  @Text(
    'Id of the token, which is also a claim of it and part of introspection responses.',
    'Jb0X4p5mTqGdR0o1c3Y2kA',
  )
  jti!: string;
}

export class EmbedTokenResponse extends response('embed_token', EmbedToken, 'The embed token.') {}

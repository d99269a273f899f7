import { ApiProperty } from '../../common/api-docs.ts';
import { SUCCESS } from '../../common/http/answer-fields.ts';

/** An embed token with what its caller may want to know without reading it. */
export class EmbedTokenView {
  @ApiProperty({
    description: 'The token, a JWT: pass it to the page that embeds the dashboard.',
    example: 'eyJ…',
  })
  token!: string;

  @ApiProperty({
    description: 'The kind of token, as an introspection names it.',
    enum: ['embed_token'],
    example: 'embed_token',
  })
  token_type!: 'embed_token';

  @ApiProperty({
    description: 'When it ends, if nothing ends it before.',
    format: 'date-time',
    example: '2030-01-01T12:10:00.000Z',
  })
  expires_at!: string;

  @ApiProperty({
    description: 'Which key of /.well-known/jwks.json has signed it.',
    example: 'PEcRXrG2ktLDmxbKpKHuUcM7W1s6f3sgcUPOfXqzBrE',
  })
  kid!: string;

  @ApiProperty({
    description: 'Its own id, which is also in it and in the answers to introspections.',
    example: 'Jb0X4p5mTqGdR0o1c3Y2kA',
  })
  jti!: string;
}

/** The answer to a call that issues an embed token. */
export class EmbedTokenAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'The embed token.', type: () => EmbedTokenView })
  embed_token!: EmbedTokenView;
}

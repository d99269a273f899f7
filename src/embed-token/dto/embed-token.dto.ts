import { ApiProperty, ApiPropertyOptional } from '../../common/api-docs.ts';
import { Obeys } from '../../common/json/obeys.decorator.ts';
import { identifierViolations } from '../../common/text.ts';
import {
  DEFAULT_LIFE_SECONDS,
  lifeViolations,
  MAX_LIFE_SECONDS,
  originViolations,
} from '../embed-token.rules.ts';

/** The body that asks for an embed token. */
export class IssueEmbedTokenDto {
  @ApiProperty({
    description:
      'Who is to accept the token (`aud`), such as the address of your renderer: 1–255 code points, no control characters. Whoever verifies it compares this with its own name.',
    minLength: 1,
    maxLength: 255,
    example: 'https://dashboards.example.com',
  })
  @Obeys(identifierViolations, {
    required: 'The field audience is required: it names who is to accept the token.',
  })
  audience!: string;

  @ApiPropertyOptional({
    description: 'For how many seconds the token is valid, if nothing ends it before.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIFE_SECONDS,
    default: DEFAULT_LIFE_SECONDS,
    example: 600,
  })
  @Obeys(lifeViolations)
  expires_in_seconds?: number;

  @ApiPropertyOptional({
    description:
      'Web origin of the page that embeds the dashboard, as browsers write it: https (http for localhost), no path. The renderer reads it and may let no other page frame the dashboard.',
    maxLength: 255,
    example: 'https://app.example.com',
  })
  @Obeys(originViolations)
  origin?: string;
}

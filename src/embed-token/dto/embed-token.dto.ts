import { Integer, Rule, ShortText, Text, wholeNumber } from '../../common/fields.ts';
import { identifierViolations } from '../../common/text.ts';
import { DEFAULT_LIFE_SECONDS, MAX_LIFE_SECONDS, originViolations } from '../embed-token.rules.ts';

export class IssueEmbedTokenRequest {
  @ShortText(
    'Audience (`aud`) that accepts the token, such as the address of your renderer: 1–255 code points, no control characters. A verifier compares it with its own name.',
    'https://dashboards.example.com',
  )
  @Rule(identifierViolations, { required: 'The field audience is required: it names who is to accept the token.' })
  audience!: string;

  @Integer.optional('For how many seconds the token is valid, unless it is ended sooner.', 600, {
    minimum: 1,
    maximum: MAX_LIFE_SECONDS,
    default: DEFAULT_LIFE_SECONDS,
  })
  @Rule(wholeNumber(1, MAX_LIFE_SECONDS))
  expires_in_seconds?: number;

  @Text.optional(
    'Web origin of the page that embeds the dashboard, as browsers write it: https (http for localhost), no path. The renderer can use it to let no other page frame the dashboard.',
    'https://app.example.com',
    { maxLength: 255 },
  )
  @Rule(originViolations)
  origin?: string;
}

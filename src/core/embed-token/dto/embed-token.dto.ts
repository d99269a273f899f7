import { ApiSchema } from '../../../platform/common/api-docs.ts';
import {
  Integer,
  Nested,
  Rule,
  ShortText,
  Text,
  wholeNumber,
} from '../../../platform/common/fields.ts';
import { identifierViolations } from '../../../platform/common/text.ts';
import {
  actingForViolations,
  DEFAULT_LIFE_SECONDS,
  MAX_LIFE_SECONDS,
  MAX_VIEW_AS_SECONDS,
  originViolations,
} from '../embed-token.rules.ts';

/** Names the person who looks at a dashboard as a user group, and the reason. */
@ApiSchema({ additionalProperties: false })
export class ActingFor {
  @ShortText(
    'Who is going to look, such as an e-mail address: the claim `act.sub`, which renderers show and a browser can read. 1–255 code points, no control characters.',
    'kim@support.example.com',
  )
  subject!: string;

  @ShortText(
    'Why, such as the number of a ticket; only the audit log has it. 1–255 code points, no control characters.',
    'Ticket 4711: the dashboard is blank',
  )
  reason!: string;
}

export class IssueEmbedTokenRequest {
  @ShortText(
    'Audience (`aud`) that accepts the token, such as the address of your renderer: 1–255 code points, no control characters. A verifier compares it with its own name.',
    'https://dashboards.example.com',
  )
  @Rule(identifierViolations, {
    required: 'The field audience is required: it names who is to accept the token.',
  })
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

  @Nested.optional(
    ActingFor,
    `Issues the token for somebody who views as the user group, such as support. Needs the scope \`user-groups:view-as\` in place of \`embed-tokens:issue\`; the token is valid for ${MAX_VIEW_AS_SECONDS} seconds at most.`,
  )
  @Rule(actingForViolations)
  acting_for?: ActingFor;
}

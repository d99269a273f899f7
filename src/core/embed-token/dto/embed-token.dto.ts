import { ApiSchema } from '../../../platform/common/api-docs.ts';
import {
  AnyObject,
  choiceOf,
  Integer,
  ListOf,
  Nested,
  OneOf,
  Rule,
  ShortText,
  Text,
  wholeNumber,
} from '../../../platform/common/fields.ts';
import type { JsonObject } from '../../../platform/common/json/strict-json.ts';
import { identifierViolations } from '../../../platform/common/text.ts';
import {
  actingForViolations,
  DEFAULT_LIFE_SECONDS,
  MAX_LIFE_SECONDS,
  MAX_RESOURCES,
  MAX_VIEW_AS_SECONDS,
  originViolations,
  resourcesViolations,
  sentVariablesViolations,
  targetNameViolations,
  tokenFormats,
  viewerViolations,
} from '../embed-token.rules.ts';

/** Names the person who looks at a dashboard as a user group, and the reason. */
@ApiSchema({ additionalProperties: false })
export class ActingFor {
  @ShortText(
    'The viewer, such as an e-mail address: the claim `act.sub`, which renderers show and a browser can read. 1–255 code points, no control characters.',
    'kim@support.example.com',
  )
  subject!: string;

  @ShortText(
    'The reason, such as a ticket number; only the audit log has it. 1–255 code points, no control characters.',
    'Ticket 4711: the dashboard is blank',
  )
  reason!: string;
}

/** The person who looks. Each text has 1–255 code points and no control characters. */
@ApiSchema({ additionalProperties: false })
export class EmbedTokenUser {
  @ShortText('Your own id of the person, unique within the user group.', 'u-17')
  id!: string;

  @ShortText.optional('A name to show.', 'Ada Lovelace')
  name?: string;

  @ShortText.optional('An e-mail address.', 'ada@acme.example')
  email?: string;
}

/** Something that can be opened, such as a dashboard. */
@ApiSchema({ additionalProperties: false })
export class EmbedTokenResource {
  @Text('Its kind, in the words of the renderer.', 'dashboard', {
    minLength: 1,
    maxLength: 64,
    pattern: '^[A-Za-z][A-Za-z0-9_.-]*$',
  })
  type!: string;

  @ShortText('Its id: 1–255 code points, no control characters.', 'sales')
  id!: string;
}

export class IssueEmbedTokenRequest {
  @ShortText.optional(
    'Audience (`aud`) that accepts the token, such as the address of your renderer: 1–255 code points, no control characters. A verifier compares it with its own name. Required without `target`.',
    'https://dashboards.example.com',
  )
  @Rule(identifierViolations)
  audience?: string;

  @Text.optional(
    'Name of a target of the workspace: issues the token that this tool takes in place of an embed token. The target decides `audience`, `origin` and `format`, which may not be sent. Nothing can end such a token before it expires.',
    'bi',
    { minLength: 1, maxLength: 64, pattern: '^[a-z0-9-]+$' },
  )
  @Rule(targetNameViolations)
  target?: string;

  @Integer.optional('Seconds for which the token is valid, unless it is ended sooner.', 600, {
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

  @Nested.optional(
    EmbedTokenUser,
    'The viewer: the claims `user_id`, `user_name` and `email`, which a browser can read. The service neither verifies nor stores them.',
  )
  @Rule(viewerViolations)
  user?: EmbedTokenUser;

  @ListOf.optional(
    EmbedTokenResource,
    'The only resources that the token is for, none of them twice, at most 4 KiB of JSON; without it the token is for all of them. The renderer compares them.',
    undefined,
    { minItems: 1, maxItems: MAX_RESOURCES },
  )
  @Rule(resourcesViolations)
  resources?: EmbedTokenResource[];

  @AnyObject.optional(
    'Variables of the source `token`, and parts of lists of the group, by name; a path is a nested object. At most 1 KiB of JSON. It needs the format `opaque`.',
    { store: 7, address: { countries: ['DE'] } },
  )
  @Rule(sentVariablesViolations)
  variables?: JsonObject;

  @OneOf.optional(
    tokenFormats,
    '`jwt`, the default, is signed: a browser can read it. `opaque` is encrypted (JWE): only introspection reads it.',
    'opaque',
  )
  @Rule(choiceOf(tokenFormats))
  format?: (typeof tokenFormats)[number];
}

import {
  Flag,
  flagViolations,
  ListOf,
  listOf,
  Nested,
  OneOf,
  choiceOf,
  Rule,
  ShortText,
  Time,
} from '../../../platform/common/fields.ts';
import { Total } from '../../../platform/common/http/parameters/total.ts';
import { response } from '../../../platform/common/http/responses/response.ts';
import { textViolations } from '../../../platform/common/text.ts';
import { pastTimeViolations } from '../../../platform/common/time.ts';

const endedKinds = ['user_group_token', 'embed_token'] as const;
export type EndedKind = (typeof endedKinds)[number];

const KINDS =
  'The kinds of tokens. Embed tokens end with the user-group token that they derive from, too.';

/** The body that ends tokens together. */
export class EndTokensRequest {
  @Time.optional('Tokens issued before it are ended; by default now. Not in the future.')
  @Rule(pastTimeViolations)
  before?: string;

  @OneOf(endedKinds, KINDS, ['user_group_token'], { isArray: true, minItems: 1 })
  @Rule(listOf(choiceOf(endedKinds), { least: 1, most: endedKinds.length }), {
    required: 'The field kinds is required: it names the tokens to end.',
  })
  kinds!: EndedKind[];

  @ShortText('The reason, for the audit log.', 'a backup with tokens was lost')
  @Rule(textViolations, { required: 'The field reason is required: the audit log keeps it.' })
  reason!: string;

  @Flag.optional(
    '`true`: ends nothing, and says in `would_end` how many tokens the call would end.',
    false,
  )
  @Rule(flagViolations)
  dry_run?: boolean;
}

/** The times that are in force. */
export class EndedBefore {
  @Time.orNull('User-group tokens issued before it are ended; null if none were ended together.')
  user_group_token!: string | null;

  @Time.orNull('Embed tokens issued before it are ended; null if none were ended together.')
  embed_token!: string | null;
}

class EndedTokens {
  @Time('The time of the call: the `before` of its body, or when the call arrived.')
  before!: string;

  @ListOf(String, 'The kinds of the call.', ['user_group_token'])
  kinds!: EndedKind[];

  @Nested(EndedBefore, 'The times that are in force now; of two calls the later time stays.')
  in_force!: EndedBefore;

  @Nested.optional(
    Total,
    'Only with `dry_run`: the user-group tokens, current or in overlap, that would end. Embed tokens are not stored, so they cannot be counted.',
  )
  would_end?: Total;
}

export class EndTokensResponse extends response(
  'ended_tokens',
  EndedTokens,
  'The tokens that the call has ended.',
) {}

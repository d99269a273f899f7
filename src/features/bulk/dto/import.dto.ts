import {
  Flag,
  flagViolations,
  orNull,
  Rule,
  ShortText,
  Text,
  textThat,
  Time,
} from '../../../platform/common/fields.ts';
import { TOKEN_EXAMPLE } from '../../../core/user-group/group/dto/user-group-response.dto.ts';
import {
  PROVIDED_ID,
  UserGroupContentInput,
} from '../../../core/user-group/group/dto/user-group.dto.ts';
import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import { identifierViolations } from '../../../platform/common/text.ts';
import { timeViolations } from '../../../platform/common/time.ts';
import { canBeUserGroupToken } from '../../../platform/common/secret/secrets.ts';

/** A line of an import or an export. */
export class UserGroupLine extends UserGroupContentInput {
  @ShortText.optional(...PROVIDED_ID)
  @Rule(identifierViolations)
  provided_id?: string;

  @ShortText.optional(
    'The same as `provided_id`, as in the body of `/api/user`. A line has one of them.',
    'acme-emea',
  )
  @Rule(identifierViolations)
  user_group_id?: string;

  @Text.optional(
    'The token to set: 20–255 visible ASCII characters without a space, of this service or of another system; one that begins with `ugt_` must have the right checksum, none begins with `uga_`. Without it a new group gets a new token and an existing one keeps its own.',
    TOKEN_EXAMPLE,
    { minLength: 20, maxLength: 255, pattern: '^[!-~]+$' },
  )
  @Rule(
    textThat(
      canBeUserGroupToken,
      'A token must have 20 to 255 visible ASCII characters and no space; one that begins with ugt_ must have the right checksum, and none begins with uga_.',
    ),
  )
  token?: string;

  @Time.optionalOrNull(
    'Time from which on its tokens cannot be introspected; null: it does not end.',
    '2030-06-30T22:00:00.000Z',
  )
  @Rule(orNull(timeViolations))
  valid_until?: string | null;

  @Flag.optional('Whether the group is suspended: then its tokens cannot be introspected.', false)
  @Rule(flagViolations)
  suspended?: boolean;

  @Flag.optional(
    'Written by an export if the token was requested and cannot be decrypted. An import ignores it, and keeps or issues a token.',
    true,
  )
  @Rule(flagViolations)
  token_unreadable?: boolean;

  @Flag.optional(
    'Written by an export if the token was ended together with others, so that no import brings it back. An import ignores it, and keeps or issues a token.',
    true,
  )
  @Rule(flagViolations)
  token_ended?: boolean;
}

/** Returns the id of the group of a line. @throws ValidationFailed unless the line has exactly one */
export function idOfLine({ provided_id, user_group_id }: UserGroupLine): string {
  const id = provided_id ?? user_group_id;
  if (id !== undefined && (provided_id === undefined || user_group_id === undefined)) return id;
  const detail =
    id === undefined
      ? 'The field provided_id is required; user_group_id is taken for it.'
      : 'The line must have provided_id or user_group_id, not both.';
  throw new ValidationFailed([
    { pointer: '/provided_id', code: id === undefined ? 'required' : 'repeated', detail },
  ]);
}

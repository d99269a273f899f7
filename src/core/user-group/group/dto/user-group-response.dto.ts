import { BaseSchema } from '../../../../platform/common/api-docs.ts';
import { AnyObject, Flag, Integer, Text } from '../../../../platform/common/fields.ts';
import { response } from '../../../../platform/common/http/responses/response.ts';
import type { JsonObject } from '../../../../platform/common/json/strict-json.ts';

/** Has the form of a token without being one: its checksum is wrong. */
export const TOKEN_EXAMPLE = 'ugt_EXAMPLE4example4EXAMPLE4example4000000';

/** `user_group` in the responses to PUT and POST. */
@BaseSchema('UserGroupWithToken')
export class UserGroupWithToken {
  @Integer('Internal id; you need not record it.', 1)
  team_id!: number;

  @Text(
    'The user-group token: save it and pass it as userGroupToken when you embed a dashboard.',
    TOKEN_EXAMPLE,
    {
      minLength: 20,
      maxLength: 255,
    },
  )
  token!: string;

  @Text('The name of the group.', 'Acme EMEA')
  name!: string;

  @Text('The user_group_id you gave.', 'acme-emea')
  provided_id!: string;
}

/** `user_group` in the response to GET. */
export class UserGroupLookup extends UserGroupWithToken {
  @AnyObject.optional(
    'The properties of the group; present exactly when the request sent properties.',
    {
      region: 'EMEA',
      seats: 25,
    },
  )
  properties?: JsonObject;
}

/** The response to PUT and POST. */
export class UserGroupWithTokenResponse extends response(
  'user_group',
  UserGroupWithToken,
  'The user group as stored now.',
) {}

/** The response to GET. */
export class UserGroupLookupResponse extends response(
  'user_group',
  UserGroupLookup,
  'The user group as stored now.',
) {
  @Flag('Whether this call created the group.', false)
  new_user_group!: boolean;
}

/** Returns exactly the fields of the contract. */
export function toUserGroupWithToken(
  { id, token, name }: { id: number; token: string; name: string },
  providedId: string,
): UserGroupWithToken {
  return { team_id: id, token, name, provided_id: providedId };
}

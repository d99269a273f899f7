import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import type { JsonObject } from '../../../common/json/strict-json.ts';

/** Has the form of a token without being one: its checksum is wrong. */
export const TOKEN_EXAMPLE = 'ugt_EXAMPLE4example4EXAMPLE4example4000000';

/** `user_group` in the answers of PUT and POST. */
export class UserGroupView {
  @ApiProperty({ description: 'Internal id; you need not record it.', type: 'integer', example: 1 })
  team_id!: number;

  @ApiProperty({
    description:
      'The user-group token: save it and pass it as userGroupToken when you embed a dashboard.',
    minLength: 20,
    maxLength: 255,
    example: TOKEN_EXAMPLE,
  })
  token!: string;

  @ApiProperty({ description: 'The name of the group.', example: 'Acme EMEA' })
  name!: string;

  @ApiProperty({ description: 'The user_group_id you gave.', example: 'acme-emea' })
  provided_id!: string;
}

/** `user_group` in the answer of GET. */
export class LookedUpUserGroupView extends UserGroupView {
  @ApiPropertyOptional({
    description: 'The properties of the group; present exactly when the request sent properties.',
    type: 'object',
    additionalProperties: true,
    example: { region: 'EMEA', seats: 25 },
  })
  properties?: JsonObject;
}

/** The answer of PUT and POST. */
export class UserGroupAnswer {
  @ApiProperty({ description: '1: the call succeeded.', enum: [1], type: 'integer', example: 1 })
  success!: 1;

  @ApiProperty({ description: 'The user group as stored now.', type: () => UserGroupView })
  user_group!: UserGroupView;
}

/** The answer of GET. */
export class LookedUpUserGroupAnswer {
  @ApiProperty({ description: '1: the call succeeded.', enum: [1], type: 'integer', example: 1 })
  success!: 1;

  @ApiProperty({ description: 'Whether this call created the group.', example: false })
  new_user_group!: boolean;

  @ApiProperty({ description: 'The user group as stored now.', type: () => LookedUpUserGroupView })
  user_group!: LookedUpUserGroupView;
}

/** Exactly what the contract shows of a group. */
export function toUserGroupView(
  { id, token, name }: { id: number; token: string; name: string },
  providedId: string,
): UserGroupView {
  return { team_id: id, token, name, provided_id: providedId };
}

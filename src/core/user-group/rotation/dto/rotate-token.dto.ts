import { Rule, stringViolations, Text } from '../../../../platform/common/fields.ts';
import { RotateUserGroupTokenByIdRequest } from './grace.dto.ts';
import { TOKEN_EXAMPLE } from '../../group/dto/user-group-response.dto.ts';

/** The body of POST. */
export class RotateUserGroupTokenRequest extends RotateUserGroupTokenByIdRequest {
  @Text('The user-group token that the group holds now.', TOKEN_EXAMPLE)
  @Rule(stringViolations, {
    required:
      'The field current_token is required. If you meant a GET: some clients turn a GET with a body into POST; use PUT, or X-HTTP-Method-Override: GET.',
  })
  current_token!: string;
}

import { problem } from '../../platform/common/problem/problem.ts';

export class GrantExceedsCaller extends problem(403, 'grant_exceeds_caller', {
  about:
    'The call would grant a scope, a life, addresses or user groups beyond those of its own API token.',
  detail: 'Your API token does not have the scope "user-groups:write".',
}) {}

export class ApiTokenSuperseded extends problem(403, 'api_token_superseded', {
  about:
    'The API token has been rotated. Until its overlap ends it does everything that it did, except to issue, change, rotate or revoke API tokens: use its successor.',
}) {}

export class ApiTokenNotFound extends problem(404, 'api_token_not_found', {
  about: 'No API token has this id.',
}) {}

export class ApiTokenEnded extends problem(409, 'api_token_ended', {
  about: 'The API token is revoked, expired or rotated, so it can neither change nor be rotated.',
}) {}

export class ApiTokenOfPerson extends problem(409, 'api_token_of_person', {
  about: 'The API token stands for a person who signs in, so it cannot be rotated.',
}) {}

export class LastAdminApiToken extends problem(409, 'last_admin_token', {
  about: 'No other API token of the workspace has the scope "admin"; issue one first.',
}) {}

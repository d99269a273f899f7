import { problem } from '../../../platform/common/problem/problem.ts';

export class UserGroupNotFound extends problem(404, 'user_group_not_found', {
  about: 'No user group has this id; GET or PUT /api/user with a name creates it.',
  detail: 'No user group of the workspace has this id.',
}) {}

export class OutsideTokenRange extends problem(403, 'outside_token_scope', {
  about:
    'The API token is for certain user groups alone. It can neither create another group, nor write a group that is not one of them before and after the call.',
}) {}

export class HistoryBeginsLater extends problem(404, 'history_begins_later', {
  about: 'The state at this time is no longer kept (HISTORY_RETENTION_DAYS).',
}) {}

export class UserGroupTokenNotFound extends problem(404, 'token_not_found', {
  about: 'No user group holds this token now; GET with the user_group_id gives the current one.',
}) {}

export class UserGroupTokensEnded extends problem(409, 'user_group_tokens_ended', {
  about:
    'The token of this user group was ended together with all others of the workspace. GET or PUT of /api/user issues a fresh one.',
}) {}

export class UserGroupRenamed extends problem(409, 'user_group_renamed', {
  about: 'The group that had this id has another one, which `renamed_to` names. Use that one.',
  detail: 'The user group "acme-emea" has the id "acme-emea-2030" now.',
  members: { renamed_to: 'acme-emea-2030' },
}) {
  /** @param renamed_to the present id of the group */
  constructor(formerId: string, renamed_to: string) {
    const detail = `The user group "${formerId}" has the id "${renamed_to}" now.`;
    super(detail, { members: { renamed_to } });
  }
}

export class UserGroupQuotaReached extends problem(409, 'user_group_quota_reached', {
  about:
    'The workspace has as many user groups as its operator allows, so no other is created. Those that it has can be written as before. Delete one, or ask the operator for more.',
  detail: 'The workspace may have 100 user groups, and has them; no other is created.',
}) {
  constructor(quota: number) {
    super(`The workspace may have ${quota} user groups, and has them; no other is created.`);
  }
}

export class ChangeRefused extends problem(409, 'change_refused', {
  about: 'A rule of the application around the service refuses the change; nothing was stored.',
}) {}

export class UserGroupTokenIsCurrent extends problem(409, 'token_is_current', {
  about: 'This is the current token of the group, which is not revoked; rotate it instead.',
}) {}

export class UserGroupTokenNotUsable extends problem(409, 'token_not_usable', {
  about: 'This token value is or was in use; import the group with another, or without one.',
}) {}

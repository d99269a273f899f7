import { problem } from '../../platform/common/problem/problem.ts';

export class ViewAsForbidden extends problem(403, 'view_as_forbidden', {
  about:
    'The workspace forbids embed tokens for somebody who acts for a user group: view_as of GET /api/v1/workspace is forbidden.',
}) {}

export class UserGroupInactive extends problem(409, 'user_group_inactive', {
  about:
    'This user group is suspended, expired or incomplete; no embed token is issued for it until it is not. Its `status` and `reasons` say why.',
  detail: 'No embed token is issued: The group is suspended.',
}) {}

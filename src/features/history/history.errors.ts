import { problem } from '../../platform/common/problem/problem.ts';

export class UserGroupVersionNotFound extends problem(404, 'user_group_version_not_found', {
  about: 'The group has no version of this number, or it was removed after HISTORY_RETENTION_DAYS.',
}) {}

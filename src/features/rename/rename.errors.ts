import { problem } from '../../platform/common/problem/problem.ts';

export class UserGroupIdTaken extends problem(409, 'user_group_id_taken', {
  about:
    'Another user group has the new id, or had it until less than 30 days ago. Choose another id.',
  detail: 'Another user group has the id "acme-emea-2030".',
}) {}

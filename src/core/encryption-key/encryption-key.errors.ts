import { failure, problem } from '../../platform/common/problem/problem.ts';

export class UserGroupTokenForgotten extends problem(409, 'token_forgotten', {
  about:
    'The token of this group is still valid but cannot be shown any more, because the key that encrypted it is lost; nothing was changed. Rotate it for a new one: POST /api/user with the token you have stored, or POST /api/v1/user-groups/{id}/tokens/rotate.',
}) {}

export class UserGroupTokenUnreadable extends failure(503, 'token_unreadable', {
  about: 'The stored token cannot be decrypted; the operator has to restore TOKEN_ENCRYPTION_KEYS.',
  level: 'error',
  headers: { 'Retry-After': '60' },
}) {}

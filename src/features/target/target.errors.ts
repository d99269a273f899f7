import { failure, problem } from '../../platform/common/problem/problem.ts';

export class TooManyTargets extends problem(409, 'too_many_targets', {
  about: 'The workspace has 50 targets, as many as it may have. Delete one first.',
}) {}

export class TargetNotFound extends problem(404, 'target_not_found', {
  about: 'No target of the workspace has this name.',
}) {}

export class TargetSecretUnreadable extends failure(409, 'target_secret_unreadable', {
  about:
    'The secrets of the target cannot be decrypted with the configured keys, so it issues no tokens. The operator has to restore TOKEN_ENCRYPTION_KEYS; or PUT the target with its secrets again.',
}) {}

export class TargetValueMissing extends problem(422, 'target_value_missing', {
  about:
    'The target copies a value that the user group or the request does not have, and has no default for it. `errors` has its place in the target.',
  detail:
    'The target needs a value for /claims/region: There is no variables.region for this token.',
  errors: [
    {
      pointer: '/claims/region',
      code: 'required',
      detail: 'There is no variables.region for this token.',
    },
  ],
}) {}

export class TargetValueRefused extends problem(422, 'target_value_refused', {
  about:
    'A value of the user group or of the request would be unsafe in the token of this tool, or would not fit it. `errors` has its place in the target.',
  detail:
    'No token is issued: at /row_filters/0/value of the target: The value must be of the type integer.',
  errors: [
    {
      pointer: '/row_filters/0/value',
      code: 'not_acceptable',
      detail: 'The value must be of the type integer.',
    },
  ],
}) {}

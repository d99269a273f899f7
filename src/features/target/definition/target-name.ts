import { ValidationFailed } from '../../../platform/common/problem/errors.ts';

const NAME = /^[a-z0-9-]{1,64}$/;

/** Whether a target can have this name. */
export function isTargetName(text: string): boolean {
  return NAME.test(text);
}

/** Makes the error of a PUT whose path names no possible target. */
export function impossibleName(): ValidationFailed {
  const detail = 'The name of a target must be 1–64 of a-z, 0-9 and "-".';
  return new ValidationFailed([{ pointer: '/name', in: 'path', code: 'not_acceptable', detail }]);
}

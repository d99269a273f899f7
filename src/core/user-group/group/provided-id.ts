import { pathParam } from '../../../platform/common/http/parameters/request-params.ts';
import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import type { ServiceError } from '../../../platform/common/problem/problem.ts';
import type { Violation } from '../../../platform/common/problem/violation.ts';
import { dotSegmentViolations, identifierViolations } from '../../../platform/common/text.ts';
import { UserGroupNotFound } from './user-group.errors.ts';

/** @throws UserGroupNotFound for a text that no group can have as its id */
export function requirePossibleId(providedId: string): void {
  if (identifierViolations(providedId, '').length > 0) throw new UserGroupNotFound();
}

/** @throws ValidationFailed for an id that no new group can have, although older groups may */
export function requireNewId(providedId: string): void {
  const violations = dotSegmentViolations(providedId, '/user_group_id');
  if (violations.length > 0) throw new ValidationFailed(violations);
}

/** Parameter decorator: the `:id` of a user group in the path, which is the caller's own id for it. */
export function ProvidedIdParam(): ParameterDecorator {
  return providedIdParam(() => new UserGroupNotFound());
}

/** Parameter decorator: the `:id` of a group that need not exist; an impossible id is a validation error. */
export function NewProvidedIdParam(): ParameterDecorator {
  return providedIdParam((violations) => new ValidationFailed(violations));
}

function providedIdParam(toError: (violations: Violation[]) => ServiceError): ParameterDecorator {
  return pathParam('id', {
    description: 'Your own id of the user group, percent-encoded.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: 'acme-emea',
    read: (text) => {
      const violations = identifierViolations(text, '/id');
      if (violations.length > 0) {
        throw toError(violations.map((violation) => ({ ...violation, in: 'path' })));
      }
      return text;
    },
  });
}

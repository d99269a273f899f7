import type { DocumentedError } from '../../../platform/common/operation.ts';
import {
  AuditUnavailable,
  ChangeRefused,
  ExtensionUnavailable,
  IdempotencyKeyInvalid,
  IdempotencyKeyReused,
  IdempotencyKeySpent,
  UserGroupTokenForgotten,
  UserGroupTokenUnreadable,
} from '../../../platform/common/problem/errors.ts';

/** Errors of each write of a user group. */
export const WRITE_ERRORS: DocumentedError[] = [
  ChangeRefused,
  ExtensionUnavailable,
  AuditUnavailable,
];

/** Errors of each response that contains the token of a user group. */
export const TOKEN_ERRORS: DocumentedError[] = [UserGroupTokenForgotten, UserGroupTokenUnreadable];

/** Errors of each rotation of the token of a user group. */
export const ROTATION_ERRORS: DocumentedError[] = [
  ...TOKEN_ERRORS,
  AuditUnavailable,
  IdempotencyKeyInvalid,
  IdempotencyKeyReused,
  IdempotencyKeySpent,
];

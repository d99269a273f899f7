import type { DocumentedError } from '../../../platform/common/operation.ts';
import { AuditUnavailable } from '../../audit/audit.errors.ts';
import {
  ChangeRefused,
  OutsideTokenRange,
  UserGroupNotFound,
  UserGroupRenamed,
} from './user-group.errors.ts';
import {
  ExtensionUnavailable,
  IdempotencyKeyInvalid,
  IdempotencyKeyReused,
  IdempotencyKeySpent,
} from '../../../platform/common/problem/errors.ts';
import {
  UserGroupTokenForgotten,
  UserGroupTokenUnreadable,
} from '../../encryption-key/encryption-key.errors.ts';

/** Errors of each operation on a group that its caller names, and that has to exist. */
export const ID_ERRORS: DocumentedError[] = [UserGroupNotFound, UserGroupRenamed];

/** Errors of each write of a user group. */
export const WRITE_ERRORS: DocumentedError[] = [
  ChangeRefused,
  OutsideTokenRange,
  UserGroupRenamed,
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

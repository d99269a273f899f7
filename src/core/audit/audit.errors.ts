import { failure, problem } from '../../platform/common/problem/problem.ts';

export class SignInNotGranted extends problem(403, 'sign_in_not_granted', {
  about:
    'The identity provider knows the person, but its claims match none of CONSOLE_OIDC_GRANTS, or none of the requested workspace. The log has these claims, with the request_id.',
  detail: 'You are known, but nothing is granted to you here.',
}) {
  /**
   * @param subject the person's id; for the audit log and the log alone
   * @param why details for the log alone
   */
  constructor(
    readonly subject: string,
    readonly why: object,
  ) {
    super();
  }
}

export class AuditUnavailable extends failure(503, 'audit_unavailable', {
  about:
    'The change could not be recorded in the audit log, so it was not made. The operator has to look at the database.',
  level: 'error',
  headers: { 'Retry-After': '60' },
}) {}

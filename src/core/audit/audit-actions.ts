import { OperatorError } from '../../platform/common/problem/operator-error.ts';

/** The actions of the service, as `noun.verb`; docs/reference/audit-log.md describes each. The console's page imports this file. */
export const ownActions = [
  'api_token.expiring',
  'api_token.issue',
  'api_token.leaked',
  'api_token.revoke',
  'api_token.rotate',
  'api_token.update',
  'authentication.refuse',
  'authorization.refuse',
  'console_session.begin',
  'console_session.end',
  'data_source.create',
  'data_source.delete',
  'data_source.update',
  'embed_token.leaked',
  'embed_token.revoke',
  'encryption_key.forget',
  'encryption_key.rewrap',
  'schema.create',
  'schema.delete',
  'schema.update',
  'secret.show',
  'token.inspect',
  'user_group.create',
  'user_group.delete',
  'user_group.expiring',
  'user_group.export',
  'user_group.mapping_unresolvable',
  'user_group.resume',
  'user_group.suspend',
  'user_group.update',
  'user_group.view_as',
  'user_group_token.leaked',
  'user_group_token.overlap_ending',
  'user_group_token.revoke',
  'user_group_token.rotate',
  'user_group_token.show',
  'webhook_endpoint.create',
  'webhook_endpoint.delete',
  'webhook_endpoint.disable',
  'webhook_endpoint.overflow',
  'webhook_endpoint.replay',
  'webhook_endpoint.roll_secret',
  'webhook_endpoint.test',
  'webhook_endpoint.update',
  'webhook_endpoint.warn',
  'workspace.create',
  'workspace.end_tokens',
  'workspace.update',
] as const;

/** Actions that change no user group, API token or anything that they depend on, so that they are no events. */
export const unchangingActions: readonly string[] = [
  'token.inspect',
  'authentication.refuse',
  'authorization.refuse',
  'console_session.begin',
  'console_session.end',
  'encryption_key.forget',
  'encryption_key.rewrap',
  'secret.show',
  'user_group.export',
  'user_group_token.show',
  'webhook_endpoint.replay',
  'webhook_endpoint.test',
] satisfies AuditAction[];

/** An action of the service, or the result of `declareAction` for a plugin. */
export type AuditAction = (typeof ownActions)[number];

const known: AuditAction[] = [...ownActions];
/** All actions that are recorded. Plugins add theirs as they are loaded. */
export const auditActions: readonly AuditAction[] = known;

/**
 * Adds an action of a plugin, while the plugin is loaded. It is also a type of event of `/api/v1/events` and of webhooks.
 * @returns the action, for `AuditLog.record`
 * @throws OperatorError unless it looks like `seats.assign` and is no action of the service
 */
export function declareAction(name: string): AuditAction {
  if (
    (ownActions as readonly string[]).includes(name) ||
    !/^(?!database\.)[a-z][a-z_]{0,49}\.[a-z][a-z_]{0,48}$/.test(name)
  ) {
    throw new OperatorError(
      `A plugin cannot declare the action ${name}; it must be new, and like seats.assign.`,
    );
  }
  if (!known.includes(name as AuditAction)) known.push(name as AuditAction);
  return name as AuditAction;
}

import { OperatorError } from '../../platform/common/problem/operator-error.ts';

/**
 * Has the actions of the service as its keys: `src/server/app/own-actions.ts` adds those of each folder.
 * @public
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- merged with another declaration
export interface OwnActions {}

/** An action of the service, or the result of `declareAction` for a plugin. */
export type AuditAction = keyof OwnActions;

const own: AuditAction[] = [];
const known: AuditAction[] = [];
const unchanging = new Set<string>();

/** All actions that are recorded. Plugins add theirs as they are loaded. */
export const auditActions: readonly AuditAction[] = known;

/** Adds the actions of the service, which precede those of plugins. */
export function addOwnActions(names: readonly AuditAction[], unchangingNames: readonly string[]) {
  known.splice(own.length, 0, ...names);
  own.push(...names);
  for (const name of unchangingNames) unchanging.add(name);
}

/** Whether the action changes a user group, an API token or anything that they depend on, so that it is an event. */
export function isChange(action: string): boolean {
  return !unchanging.has(action);
}

/**
 * Adds an action of a plugin, while the plugin is loaded. It is also a type of event of `/api/v1/events` and of webhooks.
 * @returns the action, for `AuditLog.record`
 * @throws OperatorError unless it looks like `seats.assign` and is no action of the service
 */
export function declareAction(name: string): AuditAction {
  if (
    (own as string[]).includes(name) ||
    !/^(?!database\.)[a-z][a-z_]{0,49}\.[a-z][a-z_]{0,48}$/.test(name)
  ) {
    throw new OperatorError(
      `A plugin cannot declare the action ${name}; it must be new, and like seats.assign.`,
    );
  }
  if (!known.includes(name as AuditAction)) known.push(name as AuditAction);
  return name as AuditAction;
}

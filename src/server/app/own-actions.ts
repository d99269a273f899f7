import type { AuditAction } from '../../core/audit/audit-actions.ts';
import { declaredActions } from './declared/actions.ts';

/** An action that is an event, too. */
export type ChangingAction = (typeof declaredActions)[number]['changing'][number];
/** An action that is no event. */
export type UnchangingAction = (typeof declaredActions)[number]['unchanging'][number];
type OwnAction = ChangingAction | UnchangingAction;

declare module '../../core/audit/audit-actions.ts' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- adds what it extends
  interface OwnActions extends Record<OwnAction, true> {}
}

/**
 * The actions of the service, as `noun.verb`, without those of plugins; docs/reference/audit-log.md describes each.
 * The console's page imports the types of this file.
 */
export const ownActions: readonly AuditAction[] = declaredActions
  .flatMap(({ changing, unchanging }): OwnAction[] => [...changing, ...unchanging])
  .sort();

/** Actions that change no user group, API token or anything that they depend on, so that they are no events. */
export const unchangingActions: readonly string[] = declaredActions.flatMap(
  ({ unchanging }): readonly string[] => unchanging,
);

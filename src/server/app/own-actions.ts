import type { AuditAction } from '../../core/audit/audit-actions.ts';
import { declaredActions } from './declared-actions.ts';

type OwnAction = (typeof declaredActions)[number]['changing' | 'unchanging'][number];

declare module '../../core/audit/audit-actions.ts' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- adds what it extends
  interface OwnActions extends Record<OwnAction, true> {}
}

/**
 * The actions of the service, as `noun.verb`, without those of plugins; docs/reference/audit-log.md describes each. The
 * console's page imports this file.
 */
export const ownActions: readonly AuditAction[] = declaredActions
  .flatMap(({ changing, unchanging }): OwnAction[] => [...changing, ...unchanging])
  .sort();

/** Actions that change no user group, API token or anything that they depend on, so that they are no events. */
export const unchangingActions: readonly string[] = declaredActions.flatMap(
  ({ unchanging }): readonly string[] => unchanging,
);

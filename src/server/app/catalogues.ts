import { addOwnActions } from '../../core/audit/audit-actions.ts';
import { addOwnScopes } from '../../platform/common/access/scopes.ts';
import { addOwnSettings } from '../../platform/config/settings.ts';
import { declaredScopes, declaredSettings } from './declared/scopes-and-settings.ts';
import { ownActions, unchangingActions } from './own-actions.ts';

/** The scopes of the service, without those of plugins. */
export const ownScopes = declaredScopes;

declare module '../../platform/common/access/scopes.ts' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- adds what it extends
  interface OwnScopes extends Record<(typeof ownScopes)[number], true> {}
}

addOwnScopes(ownScopes);
addOwnActions(ownActions, unchangingActions);
addOwnSettings(declaredSettings);

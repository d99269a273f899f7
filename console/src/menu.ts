import { INSPECTING } from './inspector.ts';
import type { Scope } from './own-types.ts';
import { has, may } from './session.ts';
import type { IconName } from './ui/icons.tsx';

/** A page as menus and keys name it; `screens.ts` has what it shows. */
export interface PageEntry {
  path: string;
  name: string;
  icon: IconName;
  key: string;
  scope?: Scope;
  /** The feature of the page, if the service may be without it. */
  feature?: string;
}

export const PAGES = [
  {
    path: '',
    name: 'Overview',
    icon: 'overview',
    key: 'o',
    scope: 'user-groups:read',
    feature: 'overview',
  },
  { path: 'groups', name: 'User groups', icon: 'groups', key: 'u', scope: 'user-groups:read' },
  {
    path: 'jobs',
    name: 'Jobs',
    icon: 'play',
    key: 'j',
    scope: 'user-groups:read',
    feature: 'bulk-jobs',
  },
  {
    path: 'inspect',
    name: 'Inspect a token',
    icon: 'inspect',
    key: 'i',
    scope: INSPECTING,
    feature: 'inspection',
  },
  {
    path: 'leaked',
    name: 'Leaked tokens',
    icon: 'warning',
    key: 'l',
    scope: 'tokens:rotate',
    feature: 'revocation',
  },
  {
    path: 'registry',
    name: 'Registry',
    icon: 'registry',
    key: 'r',
    scope: 'registry:read',
    feature: 'registry',
  },
  {
    path: 'targets',
    name: 'Targets',
    icon: 'target',
    key: 'd',
    scope: 'targets:read',
    feature: 'targets',
  },
  { path: 'api-tokens', name: 'API tokens', icon: 'key', key: 't', scope: 'admin' },
  {
    path: 'audit',
    name: 'Audit log',
    icon: 'audit',
    key: 'a',
    scope: 'audit:read',
    feature: 'audit-events',
  },
  {
    path: 'webhooks',
    name: 'Webhooks',
    icon: 'webhook',
    key: 'w',
    scope: 'webhooks:read',
    feature: 'webhooks',
  },
  {
    path: 'events',
    name: 'Events',
    icon: 'events',
    key: 'e',
    scope: 'events:read',
    feature: 'events',
  },
  { path: 'sessions', name: 'Sessions', icon: 'sessions', key: 's' },
  { path: 'system', name: 'System', icon: 'system', key: 'y', scope: 'admin', feature: 'system' },
] as const satisfies readonly PageEntry[];

export const isServed = ({ feature }: PageEntry) => feature === undefined || has(feature);

export const allowed = (): readonly PageEntry[] => {
  const entries: readonly PageEntry[] = PAGES;
  return entries.filter((page) => isServed(page) && (page.scope === undefined || may(page.scope)));
};

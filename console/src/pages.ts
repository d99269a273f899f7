import type { ComponentType } from 'preact';
import { INSPECTING } from './inspector.ts';
import type { Scope } from './own-types.ts';
import { place } from './router.ts';
import { may } from './session.ts';
import type { IconName } from './ui/icons.tsx';

export interface PageEntry {
  path: string;
  name: string;
  icon: IconName;
  key: string;
  scope?: Scope;
  load: () => Promise<{ default: ComponentType<{ path: string[] }> }>;
}

export const PAGES: PageEntry[] = [
  {
    ...{ path: '', name: 'Overview', icon: 'overview', key: 'o', scope: 'user-groups:read' },
    load: () => import('./pages/overview/overview.tsx'),
  },
  {
    ...{ path: 'groups', name: 'User groups', icon: 'groups', key: 'u', scope: 'user-groups:read' },
    load: () => import('./pages/groups/groups.tsx'),
  },
  {
    ...{ path: 'inspect', name: 'Inspect a token', icon: 'inspect', key: 'i', scope: INSPECTING },
    load: () => import('./pages/inspect/inspect.tsx'),
  },
  {
    ...{ path: 'leaked', name: 'Leaked tokens', icon: 'warning', key: 'l', scope: 'tokens:rotate' },
    load: () => import('./pages/leaked.tsx'),
  },
  {
    ...{ path: 'registry', name: 'Registry', icon: 'registry', key: 'r', scope: 'registry:read' },
    load: () => import('./pages/registry/registry.tsx'),
  },
  {
    ...{ path: 'api-tokens', name: 'API tokens', icon: 'key', key: 't', scope: 'admin' },
    load: () => import('./pages/api-tokens/api-tokens.tsx'),
  },
  {
    ...{ path: 'audit', name: 'Audit log', icon: 'audit', key: 'a', scope: 'audit:read' },
    load: () => import('./pages/audit/audit.tsx'),
  },
  {
    ...{ path: 'webhooks', name: 'Webhooks', icon: 'webhook', key: 'w', scope: 'webhooks:read' },
    load: () => import('./pages/webhooks/webhooks.tsx'),
  },
  {
    ...{ path: 'events', name: 'Events', icon: 'events', key: 'e', scope: 'events:read' },
    load: () => import('./pages/events.tsx'),
  },
  { ...{ path: 'sessions', name: 'Sessions', icon: 'sessions', key: 's' }, load: () => import('./pages/sessions.tsx') },
  {
    ...{ path: 'system', name: 'System', icon: 'system', key: 'y', scope: 'admin' },
    load: () => import('./pages/system.tsx'),
  },
];

export const allowed = () => PAGES.filter(({ scope }) => scope === undefined || may(scope));

/** Dialogs that open from every page. */
export const DIALOGS = { find: () => import('./frame/finder.tsx'), help: () => import('./help.tsx') };

/** Loads the scripts of all pages, so that a later one needs no network. */
export function loadAll(): void {
  // The place that shows a missing page reports it.
  for (const load of [...Object.values(DIALOGS), ...allowed().map((page) => page.load)]) load().catch(() => undefined);
}

/** Begins to load the page of the current place, before it is known who is there. */
export function loadFirst(): void {
  const [first = ''] = place.value.path;
  const page = PAGES.find(({ path }) => path === first);
  page?.load().catch(() => undefined);
}

import type { ComponentType } from 'preact';
import { allowed, type PAGES } from './menu.ts';
import { place } from './router.ts';

type Load = () => Promise<{ default: ComponentType<{ path: string[] }> }>;

const LOADS: Record<(typeof PAGES)[number]['path'], Load> = {
  '': () => import('./pages/overview/overview.tsx'),
  groups: () => import('./pages/groups/groups.tsx'),
  inspect: () => import('./pages/inspect/inspect.tsx'),
  leaked: () => import('./pages/leaked.tsx'),
  registry: () => import('./pages/registry/registry.tsx'),
  'api-tokens': () => import('./pages/api-tokens/api-tokens.tsx'),
  audit: () => import('./pages/audit/audit.tsx'),
  webhooks: () => import('./pages/webhooks/webhooks.tsx'),
  events: () => import('./pages/events.tsx'),
  sessions: () => import('./pages/sessions.tsx'),
  system: () => import('./pages/system.tsx'),
};

/** Returns what loads the page of a path; undefined if there is none. */
export function loadOf(path: string): Load | undefined {
  return Object.hasOwn(LOADS, path) ? LOADS[path as keyof typeof LOADS] : undefined;
}

/** Dialogs that open from every page. */
export const DIALOGS = { find: () => import('./frame/finder.tsx'), help: () => import('./help.tsx') };

/** Loads the scripts of all pages, so that a later one needs no network. */
export function loadAll(): void {
  const loads = [...Object.values(DIALOGS), ...allowed().map(({ path }) => loadOf(path)!)];
  // The place that shows a missing page reports it.
  for (const load of loads) load().catch(() => undefined);
}

/** Begins to load the page of the current place, before it is known who is there. */
export function loadFirst(): void {
  const [first = ''] = place.value.path;
  loadOf(first)?.().catch(() => undefined);
}

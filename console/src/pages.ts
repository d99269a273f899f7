import type { ComponentType } from 'preact';
import type { PAGES } from './menu.ts';
import type * as Rest from './rest.ts';
import { place } from './router.ts';

type Load = () => Promise<{ default: ComponentType<{ path: string[] }> }>;

const rest =
  <Name extends keyof typeof Rest>(name: Name) =>
  async () => ({ default: (await import('./rest.ts'))[name] });

const LOADS: Record<(typeof PAGES)[number]['path'], Load> = {
  '': () => import('./pages/overview/overview.tsx'),
  groups: rest('groups'),
  jobs: rest('jobs'),
  inspect: rest('inspect'),
  leaked: rest('leaked'),
  registry: rest('registry'),
  targets: rest('targets'),
  'api-tokens': rest('apiTokens'),
  audit: rest('audit'),
  webhooks: rest('webhooks'),
  events: rest('events'),
  sessions: rest('sessions'),
  system: rest('system'),
};

/** Returns what loads the page of a path; undefined if there is none. */
export function loadOf(path: string): Load | undefined {
  return Object.hasOwn(LOADS, path) ? LOADS[path as keyof typeof LOADS] : undefined;
}

/** Dialogs that open from every page. */
export const DIALOGS = { find: rest('finder'), help: rest('help') };

/** Loads the scripts of all pages, so that a later one needs no network. */
export function loadAll(): void {
  // The place that shows a missing page reports it.
  for (const load of [LOADS[''], DIALOGS.help]) load().catch(() => undefined);
}

/** Begins to load the page of the current place, before it is known who is there. */
export function loadFirst(): void {
  const [first = ''] = place.value.path;
  loadOf(first)?.().catch(() => undefined);
}

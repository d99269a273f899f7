import type { ComponentType } from 'preact';
import type { PAGES } from './menu.ts';
// Alike pages compress best side by side: the script has them in this order, that of a group as well.
import Sessions from './pages/sessions.tsx';
import Overview from './pages/overview/overview.tsx';
import System from './pages/system.tsx';
import Audit from './pages/audit/audit.tsx';
import ApiTokens from './pages/api-tokens/api-tokens.tsx';
import Events from './pages/events.tsx';
import Webhooks from './pages/webhooks/webhooks.tsx';
import Targets from './pages/targets/targets.tsx';
import Registry from './pages/registry/registry.tsx';
import './pages/group/group.tsx';
import Inspect from './pages/inspect/inspect.tsx';
import Help from './help.tsx';
import Groups from './pages/groups/groups.tsx';
import Leaked from './pages/leaked/leaked.tsx';
import Jobs from './pages/jobs/jobs.tsx';
import Finder from './frame/finder.tsx';

/** The pages by the first part of their path. */
export const pages = {
  '': Overview,
  groups: Groups,
  jobs: Jobs,
  inspect: Inspect,
  leaked: Leaked,
  registry: Registry,
  targets: Targets,
  'api-tokens': ApiTokens,
  audit: Audit,
  webhooks: Webhooks,
  events: Events,
  sessions: Sessions,
  system: System,
} satisfies Record<(typeof PAGES)[number]['path'], ComponentType<{ path: string[] }>>;

/** Dialogs that open from every page. */
export const dialogs = { find: Finder, help: Help };

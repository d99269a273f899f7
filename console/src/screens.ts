import type { ComponentType } from 'preact';
import type { PAGES } from './menu.ts';
// Alike parts compress best side by side. Their order in the script is that of the imports, some of which are for this alone.
import './pages/audit/sentence.ts';
import './pages/registry/kinds.ts';
import './ui/page.tsx';
import './ui/combobox.tsx';
import Sessions from './pages/sessions.tsx';
import './curl.ts';
import './ui/unfold.tsx';
import './ui/json.tsx';
import Overview from './pages/overview/overview.tsx';
import './pages/groups/query.ts';
import './ui/waiting.tsx';
import './pages/group/who.ts';
import './pages/group/live.tsx';
import './pages/groups/csv.ts';
import './ui/chip.tsx';
import './pages/api-tokens/state.tsx';
import './ui/grace.tsx';
import './pages/webhooks/message.tsx';
import System from './pages/system.tsx';
import './ndjson.ts';
import './pages/group/usage.tsx';
import Audit from './pages/audit/audit.tsx';
import './pages/webhooks/state.tsx';
import ApiTokens from './pages/api-tokens/api-tokens.tsx';
import './pages/webhooks/attempts.tsx';
import './pages/inspect/facts.tsx';
import './pages/inspect/words.ts';
import './pages/leaked/end-all.tsx';
import Events from './pages/events.tsx';
import './pages/group/named.ts';
import './pages/groups/find.ts';
import './pages/webhooks/headers.tsx';
import Webhooks from './pages/webhooks/webhooks.tsx';
import './pages/group/required.tsx';
import './pages/group/viewer.tsx';
import './pages/groups/columns.tsx';
import './pages/registry/change-variables.tsx';
import './pages/targets/target.ts';
import Targets from './pages/targets/targets.tsx';
import Registry from './pages/registry/registry.tsx';
import './pages/group/view.tsx';
import './pages/group/history/differences.tsx';
import './pages/group/undo.ts';
import './pages/group/dialogs.tsx';
import './pages/group/current-token.tsx';
import './pages/group/open-dialog.tsx';
import './pages/group/group.tsx';
import './pages/inspect/report.tsx';
import './pages/jobs/refused.tsx';
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

// The pages and dialogs that are one script, and that no first page waits for, in the order in which they compress best.
export { default as finder } from './frame/finder.tsx';
export { default as system } from './pages/system.tsx';
export { default as events } from './pages/events.tsx';
export { default as help } from './help.tsx';
export { default as inspect } from './pages/inspect/inspect.tsx';
export { default as groups } from './pages/groups/groups.tsx';
export { default as apiTokens } from './pages/api-tokens/api-tokens.tsx';
export { default as jobs } from './pages/jobs/jobs.tsx';
export { default as leaked } from './pages/leaked/leaked.tsx';
export { default as sessions } from './pages/sessions.tsx';
export { default as webhooks } from './pages/webhooks/webhooks.tsx';
export { default as audit } from './pages/audit/audit.tsx';
export { default as registry } from './pages/registry/registry.tsx';
export { default as targets } from './pages/targets/targets.tsx';

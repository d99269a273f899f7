import type { Scope } from '../../own-types.ts';
import { SHOWING } from '../../session.ts';
import { Badge } from '../../ui/text.tsx';

/** The scopes of the service itself; an API token may have those of plugins, too. */
export const SCOPES: Record<Scope, string> = {
  'user-groups:read': 'read groups',
  'user-groups:write': 'create, change, suspend and delete groups',
  [SHOWING]: 'copy the token of every group',
  'tokens:rotate': 'rotate and end tokens of groups',
  'tokens:introspect': 'ask what a token means, as renderers do',
  'tokens:inspect': 'find out why a token is refused',
  'embed-tokens:issue': 'issue embed tokens for pages',
  'user-groups:view-as': 'look at a dashboard as a group, with a reason',
  'registry:read': 'read schemas, data sources, the policy',
  'registry:write': 'change schemas, data sources, the policy',
  'targets:read': 'read targets',
  'targets:write': 'change targets',
  'usage:read': 'read usage',
  'webhooks:read': 'read webhook endpoints and attempts',
  'webhooks:write': 'change and replay webhooks',
  'audit:read': 'read the audit log',
  'events:read': 'follow events',
  admin: 'administer API tokens, exports and sessions',
};

/** The usual purposes of API tokens. */
export const PRESETS: [name: string, scopes: (all: Scope[]) => Scope[]][] = [
  ['Backend', () => ['user-groups:read', 'user-groups:write', SHOWING, 'tokens:rotate']],
  ['Renderer', () => ['tokens:introspect', 'events:read']],
  ['Read only', (all) => all.filter((scope) => scope.endsWith(':read') && scope !== SHOWING)],
  ['Support', () => ['user-groups:read', 'tokens:inspect', 'user-groups:view-as']],
  ['Console operator', (all) => all],
];

export const OWN_SCOPES = Object.keys(SCOPES) as Scope[];

export const isOwn = (scope: string) => Object.hasOwn(SCOPES, scope);

export function Scopes({ scopes }: { scopes: string[] }) {
  const hasAll = OWN_SCOPES.every((scope) => scopes.includes(scope));
  const named = hasAll ? scopes.filter((scope) => !isOwn(scope)) : scopes;
  return (
    <span class="badges">
      {hasAll && <Badge tone="accent">all scopes</Badge>}
      {named.map((scope) => (
        <Badge key={scope} tone={scope === 'admin' ? 'accent' : ''}>
          {scope}
        </Badge>
      ))}
    </span>
  );
}

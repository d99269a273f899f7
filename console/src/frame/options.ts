import { answerOf, api } from '../api.ts';
import { inspect, INSPECTING, reportLeaked } from '../inspector.ts';
import type { Scope } from '../own-types.ts';
import { allowed } from '../menu.ts';
import { withExact } from '../pages/groups/find.ts';
import { addressOf, goTo, isLikeToken, tokensIn } from '../router.ts';
import { may } from '../session.ts';
import type { IconName } from '../ui/icons.tsx';

/** A place that the box offers to open. */
export interface Option {
  key: string;
  icon: IconName;
  name: string;
  about?: string;
  open: () => void;
}

export interface Offer {
  options: Option[];
  /** Tells something that the options do not show. */
  note?: string;
}

const SHOWN = 8;
const REQUEST_ID = /^[\w.:-]{6,64}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const lead = (address: string) => () => {
  goTo(address);
};

/** Returns the options that need no request to the service. A text that looks like a token is sent nowhere. */
export function offerAtOnce(text: string): Offer {
  if (isLikeToken(text)) return offerInspection(text);
  const wanted = text.toLowerCase();
  return {
    options: allowed()
      .filter(
        ({ name }) =>
          name
            .toLowerCase()
            .split(' ')
            .some((word) => word.startsWith(wanted)) || wanted === '',
      )
      .map(({ path, name, icon }) => ({
        key: `page ${path}`,
        icon,
        name,
        about: 'Page',
        open: lead(addressOf([path])),
      })),
  };
}

const NO_INSPECTING = `This looks like a token. You need the ${INSPECTING} scope to inspect it; the API token of this session does not have it.`;

/** Offers what can be done with tokens; all of it keeps them out of the address. */
function offerInspection(text: string): Offer {
  const options: Option[] = [];
  const offer = (scope: Scope, icon: IconName, name: string, run: (text: string) => void) => {
    if (!may(scope)) return;
    const open = () => {
      run(text);
    };
    options.push({ key: icon, icon, name, about: 'Stays out of the address', open });
  };
  const count = tokensIn(text).length;
  offer(INSPECTING, 'inspect', count > 1 ? 'Inspect the first token' : 'Inspect this token', inspect);
  if (count > 0)
    offer('tokens:rotate', 'warning', count > 1 ? `End ${count} leaked tokens` : 'End it: it has leaked', reportLeaked);
  return { options, ...(!may(INSPECTING) && { note: NO_INSPECTING }) };
}

/** Finds what a text may mean: a request, a group by its exact id, groups that contain it. */
export async function find(text: string, signal: AbortSignal): Promise<Offer> {
  const [request, groups] = await Promise.all([findRequest(text, signal), findGroups(text, signal)]);
  const note = [request.note, groups.note].filter(Boolean).join(' ');
  return { options: [...request.options, ...groups.options], note };
}

async function findGroups(text: string, signal: AbortSignal): Promise<Offer> {
  if (!may('user-groups:read'))
    return { options: [], note: 'You need the user-groups:read scope to find user groups.' };
  const query = { search: text, limit: SHOWN, sort: '-created_at' as const };
  const answer = await answerOf(api.GET('/api/v1/user-groups', { params: { query }, signal }));
  const { rows, next } = await withExact(text, { rows: answer.user_groups, next: answer.next_cursor }, signal);
  const options = rows
    .slice(0, SHOWN)
    .map(({ team_id, provided_id, name }): Option => ({
      key: `group ${team_id}`,
      icon: 'groups',
      name,
      about: provided_id,
      open: lead(addressOf(['groups', provided_id])),
    }));
  if (next !== undefined) {
    const open = lead(addressOf(['groups'], { search: text }));
    options.push({ key: 'all', icon: 'search', name: 'Search all user groups', about: text, open });
  }
  return {
    options,
    ...(options.length === 0 && { note: `No user group has “${text}” in its id, name or properties.` }),
  };
}

/** An id of a request leads to what the audit log has of it. */
async function findRequest(text: string, signal: AbortSignal): Promise<Offer> {
  if (!REQUEST_ID.test(text)) return { options: [] };
  const isSure = UUID.test(text);
  if (!may('audit:read')) {
    return {
      options: [],
      ...(isSure && { note: 'You need the audit:read scope to find a request in the audit log.' }),
    };
  }
  const query = { request_id: text, limit: 1 };
  const {
    audit_events: [event],
  } = await answerOf(api.GET('/api/v1/audit-events', { params: { query }, signal }));
  if (event) {
    const open = lead(addressOf(['audit'], { request_id: text }));
    return { options: [{ key: 'request', icon: 'audit', name: `Request ${text}`, about: event.action, open }] };
  }
  const note = 'The audit log has no request of this id: it has changes, refused calls, and tokens that were shown.';
  return { options: [], ...(isSure && { note }) };
}

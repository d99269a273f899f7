import { dataOf, api } from '../api.ts';
import { inspect, INSPECTING, reportLeaked } from '../inspector.ts';
import type { Scope } from '../own-types.ts';
import { allowed } from '../menu.ts';
import { type FirstFound, withExact } from '../pages/groups/find.ts';
import { examinedIn } from '../pages/groups/query.ts';
import { addressOf, goTo, isLikeToken, mayBeToken, tokensIn, UUID } from '../router.ts';
import { has, may } from '../session.ts';
import type { IconName } from '../ui/icons.tsx';
import { progressOf } from '../ui/table.tsx';

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

const lead = (address: string) => () => {
  goTo(address);
};

/** Returns the options that need no request to the service. A text that may be a token is sent nowhere. */
export function offerAtOnce(text: string): Offer {
  if (mayBeToken(text)) return offerInspection(text);
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

const NO_INSPECTING = `This may be a token. You need the ${INSPECTING} scope to inspect it.`;

/** Offers what can be done with tokens; all of it keeps them out of the address. */
function offerInspection(text: string): Offer {
  const options: Option[] = [];
  const offer = (scope: Scope, icon: IconName, name: string, run: (text: string) => void) => {
    if (!may(scope)) return;
    const open = () => {
      run(text);
    };
    options.push({ key: icon, icon, name, about: 'Not stored', open });
  };
  const { own, others } = tokensIn(text);
  const count = own.length + others.length;
  const isKnown = isLikeToken(text);
  offer(
    INSPECTING,
    'inspect',
    !isKnown ? 'Inspect it' : count > 1 ? 'Inspect the first token' : 'Inspect this token',
    inspect,
  );
  if (count > 0 && has('revocation')) {
    offer(
      'tokens:rotate',
      'warning',
      count > 1 ? `End ${count} leaked tokens` : 'Report as leaked…',
      reportLeaked,
    );
  }
  if (!isKnown && may('user-groups:read')) {
    options.push(searchOption(text, 'Search for it: it is an id'));
  }
  return { options, ...(!may(INSPECTING) && has('inspection') && { note: NO_INSPECTING }) };
}

/** Finds what a text may mean: a request, a group by its exact id, groups that contain it. Tells again while it finds more. */
export async function* find(text: string, signal: AbortSignal): AsyncGenerator<Offer> {
  const search = findGroups(text, signal);
  const [request, first] = await Promise.all([findRequest(text, signal), search.next()]);
  const withRequest = (groups: Offer): Offer => ({
    options: [...request.options, ...groups.options],
    note: [request.note, groups.note].filter(Boolean).join(' '),
  });
  if (!first.done) yield withRequest(first.value);
  for await (const groups of search) yield withRequest(groups);
}

const searchOption = (text: string, name: string): Option => ({
  key: 'all',
  icon: 'search',
  name,
  about: text,
  open: lead(addressOf(['groups'], { search: text })),
});

/** Searches until there are enough groups to show, or no more. */
async function* findGroups(text: string, signal: AbortSignal): AsyncGenerator<Offer> {
  if (!may('user-groups:read')) {
    yield { options: [], note: 'You need the user-groups:read scope to find user groups.' };
    return;
  }
  let found: FirstFound = { rows: [], next: undefined };
  let examined = 0;
  let total: number | undefined;
  for (;;) {
    const { next: cursor } = found;
    const query = {
      search: text,
      limit: SHOWN,
      sort: '-created_at' as const,
      ...(cursor && { cursor }),
    };
    const response = await dataOf(api.GET('/api/v1/user-groups', { params: { query }, signal }));
    const page = { rows: response.user_groups, next: response.next_cursor };
    examined += examinedIn(page, SHOWN);
    // The exact one comes again where the search reaches it.
    const others = page.rows.filter(({ team_id }) => team_id !== found.rows[0]?.team_id);
    found = cursor
      ? { ...page, rows: [...found.rows, ...others] }
      : await withExact(text, page, signal);
    const rows = found.rows.slice(0, SHOWN);
    const more = found.next;
    const goesOn = more !== undefined && rows.length < SHOWN;
    if (goesOn && has('overview')) {
      total ??= (await dataOf(api.GET('/api/v1/overview', { signal }))).overview.user_groups.total;
    }
    const options = rows.map(({ team_id, provided_id, name }): Option => ({
      key: `group ${team_id}`,
      icon: 'groups',
      name,
      about: provided_id,
      open: lead(addressOf(['groups', provided_id])),
    }));
    const note = progressOf(
      { rows, more, stop: goesOn, busy: goesOn, examined },
      rows.length === 1 ? 'user group' : 'user groups',
      total,
    );
    if (more !== undefined && !goesOn) options.push(searchOption(text, 'Search all user groups'));
    const isNone = rows.length === 0 && !goesOn;
    yield {
      options,
      note: isNone ? `No user group has “${text}” in its id, name or properties.` : note,
    };
    if (!goesOn) return;
  }
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
  } = await dataOf(api.GET('/api/v1/audit-events', { params: { query }, signal }));
  if (event) {
    const open = lead(addressOf(['audit'], { request_id: text }));
    return {
      options: [
        { key: 'request', icon: 'audit', name: `Request ${text}`, about: event.action, open },
      ],
    };
  }
  const note =
    'The audit log has no request of this id: it has changes, refused calls, and tokens that were shown.';
  return { options: [], ...(isSure && { note }) };
}

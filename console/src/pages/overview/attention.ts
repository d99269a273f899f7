import { dataOf, api } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { has, may } from '../../session.ts';
import { wordsOf } from '../../ui/status.tsx';
import { span } from '../../ui/text.tsx';

/** Something that needs attention, or is inactive on purpose; with the place that shows exactly these groups or tokens. */
export interface Item {
  key: string;
  tone: 'bad' | 'warn' | 'calm';
  count: number;
  words: string;
  address?: string;
  link?: string;
}

const DAY = 86_400_000;
const UNUSED_AFTER = 90 * DAY;

const many = (count: number, one: string, more: string) => (count === 1 ? one : more);

/** The groups that are inactive, by their status, and the old tokens. */
export function itemsOfGroups(
  {
    user_groups: groups,
    user_group_tokens: { in_overlap: old, in_overlap_used_last_hour: used },
  }: Schemas['Overview'],
  why: string,
): Item[] {
  /** @param one the words for one group, before those for several */
  const of = (
    status: Exclude<keyof typeof groups, 'total'>,
    tone: Item['tone'],
    one: string,
    more: string,
  ): Item => {
    const count = groups[status] ?? 0;
    return {
      key: status,
      tone,
      count,
      words: `user ${many(count, `group ${one}`, `groups ${more}`)}.${status === 'incomplete' ? why : ''}`,
      address: addressOf(['groups'], { status }),
      link: 'Show them',
    };
  };
  const lacking = ' inactive: required data is missing';
  const isUnknown = groups.incomplete === null || groups.unresolved === null;
  const items: Item[] = [
    {
      key: 'unknown',
      tone: 'warn',
      count: isUnknown ? groups.total : 0,
      words: `user ${many(groups.total, 'group is', 'groups are')} being checked against the changed rules.`,
    },
    of('incomplete', 'bad', `is${lacking}`, `are${lacking}`),
    of(
      'no_valid_token',
      'bad',
      'has no valid token: its tokens were ended together',
      'have no valid token: their tokens were ended together',
    ),
    of(
      'unresolved',
      'warn',
      'names a schema or data source that is not registered',
      'name a schema or data source that is not registered',
    ),
    {
      key: 'old',
      tone: used > 0 ? 'warn' : 'calm',
      count: old,
      words: `old ${many(old, 'token is', 'tokens are')} still valid after a rotation; ${used || 'none'} used in the last hour.`,
      address: addressOf(['groups'], { status: 'overlap' }),
      link: 'Show their groups',
    },
    of('expired', 'calm', 'has expired', 'have expired'),
    of('suspended', 'calm', 'is suspended', 'are suspended'),
  ];
  return items.filter(({ count }) => count > 0);
}

/** API tokens that end soon, or that nobody uses. */
function itemsOfApiTokens(all: Schemas['ApiToken'][], now = Date.now()): Item[] {
  const alive = all.filter(({ state, subject }) => state === 'active' && subject === null);
  const ending = alive.filter(
    ({ expires_at: end }) => end !== null && Date.parse(end) - now < 30 * DAY,
  );
  const unused = alive.filter(
    (one) => now - Date.parse(one.last_used_at ?? one.created_at) > UNUSED_AFTER,
  );
  const item = (key: string, tokens: typeof all, words: string): Item => ({
    key,
    tone: 'warn',
    count: tokens.length,
    words,
    link: many(tokens.length, 'Show it', 'Show the API tokens'),
    address: addressOf(['api-tokens'], { search: tokens.length === 1 ? tokens[0]!.name : '' }),
  });
  const [first] = [...ending].sort((a, b) => (a.expires_at! < b.expires_at! ? -1 : 1));
  return [
    item(
      'ending',
      ending,
      `API ${many(ending.length, 'token expires', 'tokens expire')} within 30 days${first ? `: ${first.name} in ${span(first.expires_at!, now)}` : ''}.`,
    ),
    item(
      'unused',
      unused,
      `API ${many(unused.length, 'token has', 'tokens have')} not been used for 90 days.`,
    ),
  ].filter(({ count }) => count > 0);
}

/** Webhook endpoints that get nothing, although they should. */
function itemsOfEndpoints(all: Schemas['WebhookEndpoint'][]): Item[] {
  const failing = all.filter(
    ({ failing_since, disabled_reason: reason, skipping_since }) =>
      (failing_since ?? skipping_since) !== null || reason === 'gone' || reason === 'failing',
  );
  const [first] = failing;
  if (!first) return [];
  // Several endpoints can have one host.
  const name = first.description ?? first.url.replace(/^\w+:\/\//, '');
  const words = `webhook ${many(failing.length, 'endpoint gets', 'endpoints get')} no events: ${name}${failing.length > 1 ? ' and others' : ''}.`;
  const path = failing.length === 1 ? ['webhooks', first.id] : ['webhooks'];
  return [
    {
      key: 'webhooks',
      tone: 'bad',
      count: failing.length,
      words,
      address: addressOf(path),
      link: 'Show them',
    },
  ];
}

/** Work that the installation itself needs. */
function itemsOfSystem({
  migrations,
  rewrap_remaining,
  event_consumers,
  encryption_keys,
}: Schemas['SystemInfo']): Item[] {
  const stopped = event_consumers.filter(({ running }) => !running);
  const items = [
    {
      key: 'migrations',
      count: migrations.pending,
      words: `${many(migrations.pending, 'migration is', 'migrations are')} not applied to the database.`,
    },
    {
      key: 'rewrap',
      count: rewrap_remaining ? encryption_keys.length : 0,
      words:
        'encryption keys are in use: something is still encrypted with an old one. The command keys rewrap ends that.',
    },
    {
      key: 'consumers',
      count: stopped.length,
      words: `${many(stopped.length, 'consumer of events is', 'consumers of events are')} not running.`,
    },
  ];
  return items
    .filter(({ count }) => count > 0)
    .map((item) => ({
      ...item,
      tone: 'warn' as const,
      address: addressOf(['system']),
      link: 'System',
    }));
}

/** Loads everything but the counts of groups, as far as the session may see it. One part that fails hides no other. */
export async function loadOthers(signal: AbortSignal): Promise<Item[]> {
  const query = { limit: 200 };
  const parts = await Promise.allSettled([
    may('webhooks:read')
      ? dataOf(api.GET('/api/v1/webhook-endpoints', { params: { query }, signal })).then(
          (response) => itemsOfEndpoints(response.webhook_endpoints),
        )
      : [],
    may('admin')
      ? dataOf(
          api.GET('/api/v1/api-tokens', {
            params: { query: { ...query, state: 'active' } },
            signal,
          }),
        ).then((response) => itemsOfApiTokens(response.api_tokens))
      : [],
    may('admin') && has('system')
      ? dataOf(api.GET('/api/v1/system', { signal })).then(({ system }) => itemsOfSystem(system))
      : [],
  ]);
  if (parts.every(({ status }) => status === 'rejected')) {
    throw (parts[0] as PromiseRejectedResult).reason;
  }
  return parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []));
}

/** Returns a sentence on what the first incomplete groups most often lack. */
export async function readWhyIncomplete(signal: AbortSignal): Promise<string> {
  const query = { status: 'incomplete' as const, limit: 20 };
  const { user_groups: groups } = await dataOf(
    api.GET('/api/v1/user-groups', { params: { query }, signal }),
  );
  const counts = new Map<string, number>();
  for (const reason of groups.flatMap(({ reasons }) => reasons)) {
    const lack = wordsOf(reason);
    counts.set(lack, (counts.get(lack) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most ? ` Most often ${most[0].charAt(0).toLowerCase()}${most[0].slice(1)}` : '';
}

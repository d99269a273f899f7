import { place } from '../../router.ts';
import { STATUSES } from '../../ui/status.tsx';

/** The filters that the address of the list can have. */
export const FILTERS = ['search', 'status', 'sort', 'property', 'value'] as const;
export type ListQuery = Record<(typeof FILTERS)[number], string>;

/** The statuses, and what else groups are narrowed to, with their names. */
export const STATES = [
  ...STATUSES,
  ['ending', 'Ends within a week'],
  ['overlap', 'Old token still valid'],
] as [string, string][];
const WEEK = 604_800_000;

export const NEWEST_FIRST = '-created_at';
const SORTS = ['created_at', 'updated_at', 'name'];

/** Reads the filters of the address. Names those that the list does not know, and leaves them out. */
export function readQuery(): {
  query: ListQuery;
  unknown: { name: 'status' | 'sort'; words: string }[];
} {
  const query = Object.fromEntries(
    FILTERS.map((name) => [name, place.value.query.get(name) ?? '']),
  ) as ListQuery;
  const unknown: { name: 'status' | 'sort'; words: string }[] = [];
  if (query.status !== '' && !STATES.some(([status]) => status === query.status)) {
    unknown.push({
      name: 'status',
      words: `There is no status “${query.status}”: groups of every status are shown.`,
    });
    query.status = '';
  }
  if (query.sort !== '' && !SORTS.includes(query.sort.replace(/^-/, ''))) {
    unknown.push({
      name: 'sort',
      words: `There is no order “${query.sort}”: the newest groups come first.`,
    });
    query.sort = '';
  }
  return { query, unknown };
}

/** Groups that one call of a search examines at most. */
const EXAMINED_AT_ONCE = 1000;
const SHOWN_AT_ONCE = 50;

/** The filters as the API names them. */
export function toFilters({ search, status, property, value }: ListQuery): Record<string, string> {
  const now = Date.now();
  const time = (after: number) => new Date(now + after).toISOString();
  const given = {
    search,
    property_name: property,
    property_value: property && value,
    ...(status === 'ending'
      ? { valid_until_after: time(0), valid_until_before: time(WEEK) }
      : status === 'overlap'
        ? { in_overlap: 'true' }
        : { status }),
  };
  return Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ''));
}

/** The query of the API for a page of the list. */
export function toApi(query: ListQuery, cursor: string | undefined): object {
  return {
    limit: SHOWN_AT_ONCE,
    sort: query.sort || NEWEST_FIRST,
    ...(cursor && { cursor }),
    ...toFilters(query),
  };
}

/** Tells whether the service must look at groups one by one. */
export function isSearching({ search, property }: ListQuery): boolean {
  return search !== '' || property !== '';
}

/** Returns the number of groups that the service has examined for a page; Infinity if it cannot be known. */
export function examinedIn(
  { rows, next }: { rows: unknown[]; next: string | undefined },
  limit = SHOWN_AT_ONCE,
): number {
  if (next === undefined) return rows.length;
  return rows.length < limit ? EXAMINED_AT_ONCE : Infinity;
}

import { dataOf, api } from '../../api.ts';
import { useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { filter } from '../../router.ts';
import { has } from '../../session.ts';
import { Icon } from '../../ui/icons.tsx';
import { Text } from '../../ui/text.tsx';
import { NEWEST_FIRST } from './query.ts';

export const SORTED: [column: string, name: string][] = [
  ['name', 'User group'],
  ['created_at', 'Created'],
  ['updated_at', 'Updated'],
];

/** Loads the number of groups, or of those with the status, from the overview; not before the first are shown. */
export function useTotal(status: string, isWaiting: boolean, round: number): number | undefined {
  const { data } = useLoad(
    async (signal) =>
      isWaiting || !has('overview')
        ? undefined
        : (await dataOf(api.GET('/api/v1/overview', { signal }))).overview,
    [isWaiting, round],
  );
  if (!data) return undefined;
  const { total, ...inactive } = data.user_groups;
  if (status === '') return total;
  if (status === 'overlap') return data.user_group_tokens.in_overlap;
  const counts: (number | null)[] = Object.values(inactive);
  if (counts.includes(null)) return undefined;
  const active = counts.reduce<number>((left, count) => left - count!, total);
  return ({ ...inactive, active } as Record<string, number>)[status];
}

export function SortHead({
  column: [column, name],
  sort,
}: {
  column: [string, string];
  sort: string;
}) {
  const by = sort || NEWEST_FIRST;
  const isOn = by.replace('-', '') === column;
  const isDown = by.startsWith('-');
  const next = isOn && !isDown ? `-${column}` : column;
  return (
    <th
      class={column === 'name' ? '' : 'roomy'}
      aria-sort={isOn ? (isDown ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        class="sort"
        onClick={() => {
          filter({ sort: next });
        }}
      >
        {name}
        {isOn && (
          <span class={isDown ? '' : 'up-wards'}>
            <Icon name="down" />
          </span>
        )}
      </button>
    </th>
  );
}

export function MappingSummary({ mapping }: { mapping: Schemas['UserGroup']['mapping'] }) {
  const entries = Object.entries(mapping);
  if (entries.length === 0) return <span class="none">none</span>;
  return (
    <span class="cell-sub mono">
      <Text>
        {entries
          .slice(0, 2)
          .map(([schema, source]) => `${schema} → ${source}`)
          .join(', ')}
      </Text>
      {entries.length > 2 && ` +${entries.length - 2}`}
    </span>
  );
}

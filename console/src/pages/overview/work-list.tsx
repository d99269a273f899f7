import { useRepeated } from '../../attended.ts';
import { useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { Icon } from '../../ui/icons.tsx';
import { Panel } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/empty.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { itemsOfGroups, loadOthers, readWhyIncomplete } from './attention.ts';
import { AGAIN_AFTER } from './again.ts';

const TONES = ['bad', 'warn', 'calm'];

/** Matters that need attention now, each with the place that shows it. */
export function WorkList({ overview }: { overview: Schemas['Overview'] | undefined }) {
  const others = useLoad(loadOthers, []);
  useRepeated(others.reload, AGAIN_AFTER);
  const hasIncomplete = Boolean(overview?.user_groups.incomplete);
  const why = useLoad(
    async (signal) => (hasIncomplete ? readWhyIncomplete(signal) : ''),
    [hasIncomplete],
  );
  if (!overview) {
    return (
      <Panel title="Needs attention">
        <Skeleton lines={2} />
      </Panel>
    );
  }
  const found = [...itemsOfGroups(overview, why.data ?? ''), ...(others.data ?? [])];
  const items = TONES.flatMap((tone) => found.filter((item) => item.tone === tone));
  const isWell = items.every(({ tone }) => tone === 'calm');
  return (
    <Panel title="Needs attention" flush>
      {others.error !== undefined && <Trouble error={others.error} retry={others.reload} />}
      {isWell && others.data && (
        <p class="all-well">
          <Icon name="check" /> All is well: nothing needs attention.
        </p>
      )}
      <ul class="work">
        {items.map(({ key, tone, count, words, address, link }) => (
          <li key={key} class={tone}>
            <strong>{count.toLocaleString()}</strong>
            <span>{words}</span>
            {address && <a href={address}>{link}</a>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

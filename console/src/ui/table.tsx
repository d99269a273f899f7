import type { ComponentChildren, TargetedKeyboardEvent, VNode } from 'preact';
import type { Listed } from '../load.ts';
import { Button } from './button.tsx';
import { Trouble } from './trouble.tsx';

/**
 * A table whose rows the arrow keys walk; scrolls if it is too wide. A column in a list of its own is hidden where there
 * is little room, and one with an empty name is for buttons.
 */
export function Table({
  label,
  head,
  list,
  bones = 0,
  empty,
  children,
  isLong,
}: {
  label: string;
  head: (string | [string] | VNode | false)[];
  /** The list whose rows these are. */
  list?: Pick<Listed<unknown>, 'fresh' | 'error' | 'rows'>;
  /** The rows that stand for those of a list that loads; without a list always there. */
  bones?: number;
  /** Stands for the rows of a list that has none. */
  empty?: ComponentChildren;
  children?: ComponentChildren;
  /** Whether the head stays in sight while the page scrolls. */
  isLong?: boolean;
}) {
  const columns = head.filter((one) => one !== false);
  return (
    <div
      class={isLong ? 'table long' : 'table'}
      role="region"
      aria-label={label}
      tabIndex={0}
      onKeyDown={walk}
    >
      <table>
        <thead>
          <tr>
            {columns.map((one) =>
              one === '' ? (
                <th class="tools">
                  <span class="unseen">Actions</span>
                </th>
              ) : Array.isArray(one) ? (
                <th class="roomy">{one}</th>
              ) : typeof one === 'string' ? (
                <th>{one}</th>
              ) : (
                one
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {(list?.fresh ?? true) &&
            Array.from({ length: bones }, (_, row) => (
              <tr key={row} class="bones" aria-hidden="true">
                {columns.map((__, column) => (
                  <td key={column}>
                    <span class={`bone w${(row + column) % 4}`} />
                  </td>
                ))}
              </tr>
            ))}
          {children}
          {empty && !(list && (list.fresh || list.error || list.rows.length > 0)) && (
            <tr>
              <td colSpan={columns.length}>{empty}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function walk(event: TargetedKeyboardEvent<HTMLDivElement>) {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6 };
  const step = steps[event.key];
  const target = event.target as HTMLElement;
  if (step === undefined || target.closest('select, dialog')) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('tbody [data-row]')];
  if (links.length === 0) return;
  const row = target.closest('tr')?.querySelector<HTMLElement>('[data-row]');
  const from = row ? links.indexOf(row) : step > 0 ? -1 : links.length;
  links[Math.min(Math.max(from + step, 0), links.length - 1)]?.focus();
  event.preventDefault();
}

/** The foot of a list: how much of it is shown, the next page, and any error. */
export function ListFoot({
  list,
  what,
  total,
}: {
  list: Omit<Listed<unknown>, 'examined' | 'stop'> &
    Partial<Pick<Listed<unknown>, 'examined' | 'stop'>>;
  what: string;
  /** The number of entries in all, or of those that match where nothing is searched. */
  total?: number | undefined;
}) {
  const { rows, more, stop } = list;
  return (
    <div class="list-foot" tabIndex={-1} aria-live={stop ? 'off' : 'polite'}>
      <Trouble error={list.error} retry={list.reload} />
      {!list.fresh && !list.error && (rows.length > 0 || list.examined !== undefined) && (
        <span>{progressOf(list, what, total)}</span>
      )}
      {stop ? (
        <Button onClick={stop}>Stop</Button>
      ) : (
        (more ?? (list.busy && !list.fresh)) && (
          <Button busy={list.busy} onClick={more}>
            {list.rows.length > 0 ? 'Load more' : 'Search on'}
          </Button>
        )
      )}
    </div>
  );
}

/** Tells how much of a list is shown, and how far its search is. */
export function progressOf(
  {
    rows,
    more,
    stop,
    busy,
    examined,
  }: {
    rows: unknown[];
    more: unknown;
    stop?: unknown;
    busy: boolean;
    examined?: number | undefined;
  },
  plural: string,
  total: number | undefined,
): string {
  const shown = rows.length.toLocaleString();
  const what = rows.length === 1 && (total ?? 1) === 1 ? plural.replace(/s$/, '') : plural;
  const all =
    total === undefined
      ? ''
      : ` of ${Math.max(total, rows.length, examined ?? 0).toLocaleString()}`;
  if (examined === undefined) {
    if (more || busy) return all ? `${shown}${all} ${what}` : `${shown} ${what} loaded`;
    return `${shown} ${what}`;
  }
  const searched = Number.isFinite(examined) ? `. Searched ${examined.toLocaleString()}${all}` : '';
  if (stop) return `${shown} found${searched}…`;
  return more ? `${shown} ${what} found${searched || ' so far'}.` : `${shown} ${what} found`;
}

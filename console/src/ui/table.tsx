import { type ComponentChildren, type TargetedKeyboardEvent } from 'preact';
import { Button } from './button.tsx';
import { Trouble } from './trouble.tsx';

/** A table whose rows the arrow keys walk; scrolls if it is too wide. */
export function Table({
  label,
  head,
  children,
}: {
  label: string;
  head: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <div class="table" role="region" aria-label={label} tabIndex={0} onKeyDown={walk}>
      <table>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function walk(event: TargetedKeyboardEvent<HTMLDivElement>) {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6 };
  const step = steps[event.key];
  if (step === undefined || event.target instanceof HTMLSelectElement) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('tbody [data-row]')];
  if (links.length === 0) return;
  const row = (event.target as HTMLElement).closest('tr')?.querySelector<HTMLElement>('[data-row]');
  const from = row ? links.indexOf(row) : step > 0 ? -1 : links.length;
  links[Math.min(Math.max(from + step, 0), links.length - 1)]?.focus();
  event.preventDefault();
}

export function BoneRows({ columns, rows = 8 }: { columns: number; rows?: number }) {
  return (
    <>
      {Array.from({ length: rows }, (_, row) => (
        <tr key={row} class="bones" aria-hidden="true">
          {Array.from({ length: columns }, (__, column) => (
            <td key={column}>
              <span class={`bone w${(row + column) % 4}`} />
            </td>
          ))}
        </tr>
      ))}
    </>
  );
}

export function ToolsHead() {
  return (
    <th class="tools">
      <span class="unseen">What can be done</span>
    </th>
  );
}

/** The foot of a list: the next page, and any error. */
export function ListFoot({
  list,
  what,
}: {
  list: {
    rows: unknown[];
    busy: boolean;
    fresh: boolean;
    error: unknown;
    more: (() => void) | undefined;
    reload: () => void;
  };
  what: string;
}) {
  return (
    <div class="list-foot" aria-live="polite">
      <Trouble error={list.error} retry={list.reload} />
      {!list.fresh && !list.error && list.rows.length > 0 && (
        <span>
          {list.rows.length} {what}
          {list.more || list.busy ? ' so far' : ''}
        </span>
      )}
      {(list.more ?? (list.busy && !list.fresh)) && (
        <Button busy={list.busy} onClick={list.more}>
          {list.rows.length > 0 ? 'Show more' : 'Look further'}
        </Button>
      )}
    </div>
  );
}

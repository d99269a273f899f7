import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { Badge, Text } from '../../ui/text.tsx';

export type BulkJob = Schemas['BulkJob'];

const ACTIONS: Record<string, string> = {
  suspend: 'Suspend',
  resume: 'Resume',
  rotate: 'Rotate the tokens of',
  delete: 'Delete',
  import: 'Import',
  restore: 'Restore',
};

const TONES: Record<string, string> = { done: 'good', running: 'accent', failed: 'bad' };

/** The number with its noun. */
export const countOfGroups = (count: number) =>
  `${count.toLocaleString()} user group${count === 1 ? '' : 's'}`;

/** The action with the number of groups, as far as it is known. */
export function titleOf({ action, total }: BulkJob): string {
  return `${ACTIONS[action] ?? action} ${total === null ? 'user groups' : countOfGroups(total)}`;
}

export function State({ job: { state } }: { job: BulkJob }) {
  return <Badge tone={TONES[state] ?? ''}>{state}</Badge>;
}

/** Tells how far it is. */
export function Counts({ job }: { job: BulkJob }) {
  const kinds = ['changed', 'unchanged', 'refused'] as const;
  const shown = job.created > 0 ? (['created', ...kinds] as const) : kinds;
  return <>{shown.map((kind) => `${job[kind].toLocaleString()} ${kind}`).join(', ')}</>;
}

/** Tells which groups it is about. */
export function Which({ job: { selection } }: { job: BulkJob }) {
  const { ids, filters = {}, lines, undo_of } = selection;
  if (undo_of) return <a href={addressOf(['jobs', undo_of])}>those of job {undo_of}</a>;
  if (lines !== undefined) return <>the lines of a file</>;
  if (ids !== undefined) return <>those that were named</>;
  const given = Object.entries(filters as Record<string, string>);
  return given.length === 0 ? (
    <>all</>
  ) : (
    <>
      {given.map(([name, value]) => (
        <div key={name}>
          <code>{name}</code> <Text>{value}</Text>
        </div>
      ))}
    </>
  );
}

import { useState } from 'preact/hooks';
import { dataOf, api } from '../../../api.ts';
import { clock } from '../../../clock.ts';
import { useList, useLoad } from '../../../load.ts';
import { may } from '../../../session.ts';
import { Button } from '../../../ui/button.tsx';
import { Skeleton } from '../../../ui/empty.tsx';
import { Panel } from '../../../ui/page.tsx';
import { ListFoot, Table } from '../../../ui/table.tsx';
import { Badge, Text, Time } from '../../../ui/text.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { Unfold } from '../../../ui/unfold.tsx';
import type { Known } from '../resource.ts';
import { AsOf } from './as-of.tsx';
import { Differences } from './differences.tsx';
import { Restore } from './restore.tsx';
import { differencesTo, differencesToPresent, type Version, type VersionId } from './versions.ts';

/** Names who has made a version; empty if the session may not know it. */
function byWhom({ author }: Version): string {
  if (author === undefined) return '';
  return author ? `by ${author.name ?? author.type}` : 'by an author no longer known';
}

const CHANGES: Record<string, string> = {
  create: 'Created',
  suspend: 'Suspended',
  resume: 'Resumed',
};

/** The versions of a group, newest first, and of the groups that had its id before. */
export function History({
  id,
  present,
  onRestored,
  onRefresh,
}: {
  id: string;
  /** Undefined if the group is deleted. */
  present: Known | undefined;
  onRestored: (version: VersionId) => void | Promise<void>;
  onRefresh: () => void;
}) {
  const [restoring, setRestoring] = useState<VersionId>();
  const list = useList<Version>(
    async (cursor, signal) => {
      const query = { limit: 20, ...(cursor && { cursor }) };
      const call = api.GET('/api/v1/user-groups/{id}/versions', {
        params: { path: { id }, query },
        signal,
      });
      const page = await dataOf(call);
      return { rows: page.versions, next: page.next_cursor };
    },
    [id, present?.etag],
  );
  return (
    <>
      <AsOf
        key={clock.value}
        id={id}
        onRestore={may('user-groups:write') ? setRestoring : undefined}
      />
      <Panel title="Versions" about="Token rotations are in the audit log." flush>
        <Table list={list} label="Versions" head={['Version', 'Change', '']} bones={3}>
          {list.rows.map((version) => (
            <Row
              key={`${version.team_id}-${version.version}`}
              {...{ id, version, present }}
              onRestore={() => {
                setRestoring(version);
              }}
            />
          ))}
        </Table>
        <ListFoot list={list} what="versions" />
        {restoring && (
          <Restore
            {...{ id, version: restoring, present }}
            onClose={() => {
              setRestoring(undefined);
              onRefresh();
            }}
            onDone={async () => {
              await onRestored(restoring);
              setRestoring(undefined);
            }}
          />
        )}
      </Panel>
    </>
  );
}

function Row({
  id,
  version,
  present,
  onRestore,
}: {
  id: string;
  version: Version;
  present: Known | undefined;
  onRestore: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const { version: number, change, changed, ended_by: end } = version;
  return (
    <>
      <tr class={isOpen ? 'open' : ''}>
        <td class="nowrap">
          <Unfold isOpen={isOpen} setOpen={setOpen} of="What changed with">
            Version {number}
          </Unfold>{' '}
          {end === null && <Badge tone="good">now</Badge>}
          {end === 'deletion' && <Badge>deleted</Badge>}
          <span class="cell-sub">
            <Time at={version.recorded_at} /> <Text>{byWhom(version)}</Text>
          </span>
        </td>
        <td>
          {version.restored_version ? (
            `Restored from version ${version.restored_version}`
          ) : change === null ? (
            <span class="soft">The version before is no longer kept</span>
          ) : (
            (CHANGES[change] ?? `Changed ${changed.join(', ').replaceAll('_', ' ')}`)
          )}
          <span class="cell-sub">
            <Text>{version.name}</Text>
          </span>
        </td>
        <td class="tools">
          {may('user-groups:write') && end !== null && (
            <Button onClick={onRestore}>Restore…</Button>
          )}
        </td>
      </tr>
      {isOpen && (
        <tr class="details">
          <td colSpan={3}>
            <Comparison {...{ id, version, present }} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Compares a version with the one before it, or with the present. */
function Comparison({
  id,
  version,
  present,
}: {
  id: string;
  version: Version;
  present: Known | undefined;
}) {
  const hasBefore = version.version > 1 && version.change !== null;
  const hasPresent = present !== undefined && version.ended_by !== null;
  const [side, setSide] = useState<'before' | 'present'>(
    hasBefore || !hasPresent ? 'before' : 'present',
  );
  const { data, error, reload } = useLoad(
    (signal) =>
      side === 'before' && hasBefore
        ? differencesTo(id, version, version.version - 1, signal)
        : differencesToPresent(id, version, side === 'present' ? present : undefined, signal),
    [side, present?.etag],
  );
  const choice = (one: typeof side, name: string) => (
    <label>
      <input
        type="radio"
        name={`side-${version.team_id}-${version.version}`}
        checked={side === one}
        onChange={() => {
          setSide(one);
        }}
      />
      {name}
    </label>
  );
  const own = `Version ${version.version}`;
  return (
    <div class="rows">
      {hasBefore && hasPresent && (
        <fieldset class="bare">
          <legend class="unseen">Compare version {version.version} with</legend>
          <div class="segments small">
            {choice('before', `Version ${version.version - 1}`)}
            {choice('present', 'Now')}
          </div>
        </fieldset>
      )}
      <Trouble error={error} retry={reload} />
      {!data && !error && <Skeleton />}
      {data && (
        <Differences
          differences={data}
          was={side === 'present' ? 'Now' : hasBefore ? `Version ${version.version - 1}` : 'Before'}
          is={own}
        />
      )}
    </div>
  );
}

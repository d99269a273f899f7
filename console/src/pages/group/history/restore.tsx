import { useState } from 'preact/hooks';
import { Refusal } from '../../../api.ts';
import { useLoad } from '../../../load.ts';
import { groupCall } from '../../../curl.ts';
import { Confirm } from '../../../ui/dialog.tsx';
import { Skeleton } from '../../../ui/empty.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { isConflict, type Known, type Precondition } from '../resource.ts';
import { Differences } from './differences.tsx';
import { differencesToPresent, restore, restored, type VersionId } from './versions.ts';

const CHANGED = new Refusal({
  title: 'Somebody has changed the group since.',
  detail: 'Nothing was restored. Close this dialog to see what is there now.',
});

/** Asks, and shows what a restore changes; of a deleted group, that it gets another token. */
export function Restore({
  id,
  version,
  present: shown,
  onClose,
  onDone,
}: {
  id: string;
  version: VersionId;
  /** The group as the page shows it; undefined if it is deleted. */
  present: Known | undefined;
  onClose: () => void;
  onDone: () => Promise<void>;
}) {
  // The page reloads behind the dialog; the ETag must stay that of the differences that were seen.
  const [present] = useState(shown);
  const changes = useLoad(
    async (signal) => restored(await differencesToPresent(id, version, present, signal)),
    [],
  );
  const header: Precondition = present ? { 'If-Match': present.etag } : { 'If-None-Match': '*' };
  const isSame = present !== undefined && changes.data?.length === 0;
  return (
    <Confirm
      wide
      title={`Restore version ${version.version}`}
      submit="Restore this version"
      disabled={!changes.data || isSame}
      call={() =>
        groupCall('POST', id, `/versions/${version.version}/restore?team_id=${version.team_id}`, {
          headers: header,
        })
      }
      onClose={onClose}
      onSubmit={async () => {
        try {
          await restore(id, version, header);
        } catch (error) {
          if (isConflict(error)) throw CHANGED;
          throw error;
        }
        await onDone();
      }}
    >
      <p>
        {present
          ? 'The name, the mapping and the properties will be those of this version. Its tokens, its end and its suspension stay as they are.'
          : 'The group will be created again with this content. It gets a new token: the tokens that it had stay invalid.'}
      </p>
      {!present && <p>It will be suspended if it was suspended in this version.</p>}
      <Trouble error={changes.error} retry={changes.reload} />
      {!changes.data && !changes.error && <Skeleton />}
      {isSame && <p>The group has this content now: there is nothing to restore.</p>}
      {changes.data && !isSame && (
        <Differences
          differences={changes.data}
          was={present ? 'Now' : 'Deleted'}
          is="After the restore"
        />
      )}
    </Confirm>
  );
}

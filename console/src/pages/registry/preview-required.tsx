import { useEffect, useState } from 'preact/hooks';
import { dataOf, api, taggedOf } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { Button } from '../../ui/button.tsx';
import { DialogForm, Typed } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { GroupTable, useGroups } from './group-table.tsx';

const COUNTED = 10_000;
const SHOWN = 100;

/** Shows what a new requirement would break before it is set. */
export function PreviewRequired({
  wanted,
  etag,
  onBack,
  onDefault,
  onDone,
}: {
  wanted: Schemas['WorkspaceRequirements'];
  /** The ETag of the settings that the person has seen: a change by somebody else since then is not overwritten. */
  etag: string;
  onBack: () => void;
  /** Goes back to give the variables that are newly required a default; false if there are none. */
  onDefault: false | (() => void);
  /** Gets the ETag of the changed settings. */
  onDone: (etag: string) => Promise<void>;
}) {
  const broken = useGroups(
    (query, signal) =>
      dataOf(
        api.POST('/api/v1/workspace/incomplete-user-groups/preview', {
          params: { query },
          body: wanted,
          signal,
        }),
      ),
    [wanted],
  );
  const [typed, setTyped] = useState('');
  const found = broken.rows.length;
  const breaks = found > 0;
  // Shows the number before anybody decides, but does not wait for a very large one.
  useEffect(() => {
    if (breaks && found < COUNTED && !broken.error) broken.more?.();
  }, [found, broken.busy]);
  const count = `${found.toLocaleString()}${broken.more || broken.busy ? ' or more' : ''} group${found === 1 ? '' : 's'}`;
  return (
    <DialogForm
      wide
      title="What this changes"
      submit={breaks ? `Save and deactivate ${count}` : broken.more ? 'Save anyway' : 'Save'}
      danger={breaks || broken.more !== undefined}
      asks={false}
      cancel="Back"
      disabled={broken.busy || broken.error !== undefined || (breaks && typed !== 'deactivate')}
      onClose={onBack}
      onSubmit={async () => {
        const params = { header: { 'If-Match': etag } };
        await onDone(
          (await taggedOf(api.PATCH('/api/v1/workspace', { params, body: wanted }))).etag,
        );
      }}
    >
      {breaks && (
        <p class="note warn">
          {count} would become inactive. Within a second all their dashboards go blank, until a
          write adds what is missing.
        </p>
      )}
      {breaks && onDefault && (
        <div class="actions">
          <Button onClick={onDefault}>Give what is new a default instead</Button>
        </div>
      )}
      {broken.more && !breaks && <p class="note">Nothing found yet: there is more to search.</p>}
      {breaks && <Typed word="deactivate" value={typed} onChange={setTyped} />}
      <div class="preview">
        <GroupTable list={broken} label="User groups that would break" flawed shown={SHOWN}>
          <Empty title="Nothing would break">
            Every group that is complete now has what is required.
          </Empty>
        </GroupTable>
      </div>
    </DialogForm>
  );
}

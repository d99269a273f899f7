import { api, answerOf } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { GroupTable, useGroups } from './group-table.tsx';

/** Shows what a new requirement would break before it is set. */
export function PreviewRequired({
  wanted,
  onBack,
  onDone,
}: {
  wanted: Schemas['WorkspaceRequirements'];
  onBack: () => void;
  onDone: () => void;
}) {
  const broken = useGroups(
    (query, signal) =>
      answerOf(
        api.POST('/api/v1/workspace/incomplete-user-groups/preview', { params: { query }, body: wanted, signal }),
      ),
    [wanted],
  );
  const found = broken.rows.length;
  const count = `${found}${broken.more ? ' or more' : ''} user group${found === 1 ? '' : 's'}`;
  const breaks = found > 0;
  return (
    <DialogForm
      wide
      title="What would break"
      submit={breaks ? 'Save and break them' : broken.more ? 'Save all the same' : 'Save'}
      danger={breaks || broken.more !== undefined}
      cancel="Back"
      disabled={broken.busy || broken.error !== undefined}
      onClose={onBack}
      onSubmit={async () => {
        await answerOf(api.PATCH('/api/v1/workspace', { body: wanted }));
        onDone();
      }}
    >
      {breaks && (
        <p class="note warn">
          {count} would break: tokens are inactive, and dashboards stop, until a write adds what is lacking.
        </p>
      )}
      {broken.more && !breaks && <p class="note">None so far: the list of what would break goes on.</p>}
      <div class="preview">
        <GroupTable list={broken} label="User groups that would break" flawed>
          <Empty title="Nothing would break">Every group that is complete now has what is required.</Empty>
        </GroupTable>
      </div>
    </DialogForm>
  );
}

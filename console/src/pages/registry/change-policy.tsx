import { api, answerOf } from '../../api.ts';
import type { Listed } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { Skeleton } from '../../ui/empty.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import type { NamedGroup } from './group-table.tsx';

export function ChangePolicy({
  workspace,
  broken,
  onClose,
  onDone,
}: {
  workspace: Schemas['Workspace'];
  broken: Listed<NamedGroup>;
  onClose: () => void;
  onDone: () => void;
}) {
  const next = workspace.mapping_policy === 'open' ? 'registered' : 'open';
  const isAllKnown = !broken.fresh && !broken.busy && !broken.error && !broken.more;
  const count = `${broken.rows.length}${broken.more ? ' or more' : ''}`;
  return (
    <DialogForm
      title={`Change to ${next}`}
      submit={`Change to ${next}`}
      onClose={onClose}
      onSubmit={async () => {
        await answerOf(api.PATCH('/api/v1/workspace', { body: { mapping_policy: next } }));
        onDone();
      }}
    >
      {next === 'registered' ? (
        <>
          <p>Every stored mapping is resolved now; a write that names something unknown is refused from then on.</p>
          <Trouble error={broken.error} />
          {broken.fresh && <Skeleton lines={1} />}
          {broken.rows.length > 0 && (
            <p class="note warn">
              {count} user group{broken.rows.length === 1 ? '' : 's'} would break, so the change will be refused. Mend
              their mappings or register what they name first.
            </p>
          )}
          {isAllKnown && broken.rows.length === 0 && (
            <p class="note">Every mapping can be resolved: nothing would break.</p>
          )}
          {broken.more && broken.rows.length === 0 && (
            <p class="note">None so far: the list of what would break goes on.</p>
          )}
        </>
      ) : (
        <p>Mappings are taken as they come, and what they were resolved to is forgotten.</p>
      )}
      <p class="hint">Writes of user groups wait meanwhile.</p>
    </DialogForm>
  );
}

import { api, dataOf } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { DialogForm } from '../../ui/dialog.tsx';

type Workspace = Schemas['Workspace'];

/** Asks before it changes the policy. */
export function ChangePolicy({
  workspace,
  onClose,
  onDone,
}: {
  workspace: Workspace;
  onClose: () => void;
  onDone: () => Promise<void>;
}) {
  const next = workspace.mapping_policy === 'open' ? 'registered' : 'open';
  const title =
    next === 'registered'
      ? 'Require registered data sources'
      : 'Stop requiring registered data sources';
  return (
    <DialogForm
      title={title}
      submit={title}
      onClose={onClose}
      onSubmit={async () => {
        await dataOf(api.PATCH('/api/v1/workspace', { body: { mapping_policy: next } }));
        await onDone();
      }}
    >
      {next === 'registered' ? (
        <p>
          Every mapping can be resolved: nothing would break. From then on a write that names
          something unknown is refused.
        </p>
      ) : (
        <p>Mappings are taken as they come, and what they were resolved to is forgotten.</p>
      )}
      <p class="hint">Saving groups is paused while this runs.</p>
    </DialogForm>
  );
}

/** Asks before it allows or forbids to view as a group. */
export function ChangeViewAs({
  workspace,
  onClose,
  onDone,
}: {
  workspace: Workspace;
  onClose: () => void;
  onDone: () => Promise<void>;
}) {
  const next = workspace.view_as === 'allowed' ? 'forbidden' : 'allowed';
  const name = `Turn ${next === 'allowed' ? 'on' : 'off'} support access`;
  return (
    <DialogForm
      danger={next === 'forbidden'}
      title={name}
      submit={name}
      onClose={onClose}
      onSubmit={async () => {
        await dataOf(api.PATCH('/api/v1/workspace', { body: { view_as: next } }));
        await onDone();
      }}
    >
      {next === 'allowed' ? (
        <p>
          An API token with the scope <code>user-groups:view-as</code> lets its holder look at a
          dashboard as a user group, with a reason that the audit log keeps.
        </p>
      ) : (
        <p>
          Nobody can look at a dashboard as a user group any more, whatever the scopes of their API
          token are.
        </p>
      )}
    </DialogForm>
  );
}

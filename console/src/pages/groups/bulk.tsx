import { useEffect, useRef, useState } from 'preact/hooks';
import { answerOf, api } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notices.tsx';
import { save } from '../../save.ts';
import { Trouble } from '../../ui/trouble.tsx';

type Act = 'suspend' | 'resume' | 'delete';

const DONE: Record<Act, string> = { suspend: 'suspended', resume: 'resumed', delete: 'deleted' };

/** The actions for all selected groups. */
export function Bulk({
  groups,
  onClear,
  onDone,
}: {
  groups: Schemas['UserGroup'][];
  onClear: () => void;
  onDone: () => void;
}) {
  const [act, setAct] = useState<Act>();
  const [refused, setRefused] = useState<{ id: string; error: unknown }[]>([]);
  const [busy, setBusy] = useState(false);
  const ending = useRef<AbortController>(null);
  const stop = () => {
    ending.current?.abort();
    setAct(undefined);
  };
  // The next session may be of another workspace.
  useEffect(() => () => ending.current?.abort(), []);
  const run = async (which: Act) => {
    const { signal } = (ending.current = new AbortController());
    const failures: { id: string; error: unknown }[] = [];
    let tried = 0;
    setBusy(true);
    for (const { provided_id: id } of groups) {
      if (signal.aborted) break;
      tried += 1;
      const params = { params: { path: { id } } };
      try {
        if (which === 'suspend') await answerOf(api.POST('/api/v1/user-groups/{id}/suspend', params));
        else if (which === 'resume') await answerOf(api.POST('/api/v1/user-groups/{id}/resume', params));
        else await answerOf(api.DELETE('/api/v1/user-groups/{id}', params));
      } catch (error) {
        failures.push({ id, error });
      }
    }
    setBusy(false);
    setAct(undefined);
    notify(`${tried - failures.length} ${DONE[which]}`);
    if (failures.length === 0) onDone();
    else setRefused(failures);
  };
  const exportThem = () => {
    const lines = groups.map(({ provided_id, name, mapping, properties, suspended_at }) =>
      JSON.stringify({ ...{ provided_id, name, mapping, properties }, suspended: suspended_at !== null }),
    );
    save('user-groups.ndjson', new Blob([`${lines.join('\n')}\n`]));
  };
  const count = `${groups.length} user group${groups.length === 1 ? '' : 's'}`;
  return (
    <div class="note bulk" role="region" aria-label="What is selected">
      <strong>{count} selected</strong>
      <Button
        onClick={() => {
          setAct('suspend');
        }}
      >
        Suspend
      </Button>
      <Button busy={busy} onClick={() => void run('resume')}>
        Resume
      </Button>
      <Button onClick={exportThem}>Export</Button>
      <Button
        kind="danger"
        onClick={() => {
          setAct('delete');
        }}
      >
        Delete
      </Button>
      <Button kind="quiet" onClick={onClear}>
        Clear
      </Button>
      {act === 'suspend' && (
        <Confirm title={`Suspend ${count}`} submit="Suspend" onClose={stop} onSubmit={() => run('suspend')}>
          <p>Dashboards of these groups stop at once, until the groups are resumed.</p>
        </Confirm>
      )}
      {act === 'delete' && (
        <Confirm
          title={`Delete ${count}`}
          submit="Delete for good"
          what="how many,"
          typed={String(groups.length)}
          onClose={stop}
          onSubmit={() => run('delete')}
        >
          <p>They and their tokens are gone for good. Suspend them to stop them for a while.</p>
        </Confirm>
      )}
      {refused.length > 0 && (
        <Dialog title={`${refused.length} refused`} onClose={onDone}>
          <div class="form">
            {refused.map(({ id, error }) => (
              <div key={id}>
                <code>{id}</code>
                <Trouble error={error} />
              </div>
            ))}
          </div>
        </Dialog>
      )}
    </div>
  );
}

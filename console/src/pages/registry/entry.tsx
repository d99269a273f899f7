import { useState } from 'preact/hooks';
import { dataOf, api } from '../../api.ts';
import { useList, useLoad } from '../../load.ts';
import { addressOf, goTo } from '../../router.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog, DialogForm } from '../../ui/dialog.tsx';
import { Empty, Skeleton } from '../../ui/empty.tsx';
import { TextField } from '../../ui/fields.tsx';
import { notify } from '../../ui/notices.tsx';
import { Fact, Facts, Header, Panel } from '../../ui/page.tsx';
import { Text, Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { GroupTable } from './group-table.tsx';
import type { Kind } from './kinds.ts';

export function Detail({ kind, id }: { kind: Kind; id: number }) {
  const { data: entry, error, reload, reloaded } = useLoad((signal) => kind.get(id, signal), [id]);
  const [open, setOpen] = useState<'rename' | 'delete' | ''>('');
  const [name, setName] = useState('');
  const [required, setRequired] = useState(false);
  const references = useList(
    async (cursor, signal) => {
      const response = await kind.references(id, { limit: 50, ...(cursor && { cursor }) }, signal);
      setRequired(response.required);
      return { rows: response.user_groups, next: response.next_cursor };
    },
    [id],
  );
  const { data: policy } = useLoad(
    async (signal) =>
      (await dataOf(api.GET('/api/v1/workspace', { signal }))).workspace.mapping_policy,
    [],
  );
  const up = { address: addressOf(['registry', kind.path]), name: kind.many };
  const isUsed = references.rows.length > 0 || required;
  const close = () => {
    setOpen('');
  };
  if (!entry) {
    return (
      <>
        <Header up={up} title={`No. ${id}`} />
        {error ? <Trouble error={error} retry={reload} /> : <Skeleton lines={5} />}
      </>
    );
  }
  return (
    <>
      <Header up={up} title={<Text>{entry.name}</Text>}>
        {may('registry:write') && (
          <>
            <Button
              onClick={() => {
                setName(entry.name);
                setOpen('rename');
              }}
            >
              Rename
            </Button>
            <Button
              kind="danger"
              onClick={() => {
                setOpen('delete');
              }}
            >
              Delete
            </Button>
          </>
        )}
      </Header>
      <Panel>
        <Facts>
          <Fact name="ID">
            <code>
              <Text>{entry.provided_id}</Text>
            </code>
          </Fact>
          <Fact name="Internal no.">{entry.id}</Fact>
          <Fact name="Registered">
            <Time at={entry.created_at} />
          </Fact>
          <Fact name="Last changed">
            <Time at={entry.updated_at} />
          </Fact>
        </Facts>
      </Panel>
      <Panel
        title="What refers to it"
        about={required && 'The workspace requires it of every group.'}
        flush
      >
        <GroupTable list={references} label="User groups that refer to it">
          {policy === 'open' ? (
            <Empty title="Not known under the policy “open”">
              Mappings may name it, but nothing is enforced, and they are not looked up.
            </Empty>
          ) : (
            <Empty title="No user group refers to it" />
          )}
        </GroupTable>
      </Panel>
      {open === 'rename' && (
        <DialogForm
          title="Rename"
          submit="Save"
          onClose={close}
          onSubmit={async () => {
            await kind.rename(id, name);
            await reloaded();
            close();
            notify('Renamed');
          }}
        >
          <TextField
            label="Name"
            pointer="/name"
            required
            autofocus
            value={name}
            onChange={setName}
          />
        </DialogForm>
      )}
      {open === 'delete' && isUsed && (
        <Dialog title={`This ${kind.one} is in use`} onClose={close}>
          <div class="form">
            <div class="words">
              {references.rows.length > 0 && (
                <p>
                  Used by {references.rows.length.toLocaleString()}
                  {references.more ? ' or more' : ''} user group
                  {references.rows.length === 1 ? '' : 's'}, such as{' '}
                  <a href={addressOf(['groups', references.rows[0]!.provided_id])}>
                    <Text>{references.rows[0]!.provided_id}</Text>
                  </a>
                  . The list is on this page.
                </p>
              )}
              {required && (
                <p>
                  The workspace requires it of every group.{' '}
                  <a href={addressOf(['registry', 'variables'])}>Variables</a>
                </p>
              )}
              <p>It can be deleted once nothing refers to it.</p>
            </div>
            <div class="dialog-foot">
              <Button kind="main" onClick={close}>
                Close
              </Button>
            </div>
          </div>
        </Dialog>
      )}
      {open === 'delete' && !isUsed && (
        <Confirm
          title={`Delete this ${kind.one}`}
          submit="Delete for good"
          what="its id"
          typed={entry.provided_id}
          onClose={close}
          onSubmit={async () => {
            await kind.remove(id);
            notify('Deleted');
            goTo(up.address);
          }}
        >
          <p>
            {policy === 'open'
              ? 'Under the policy “open” nothing is enforced: mappings that name it stay, and an event tells of each.'
              : 'Nothing refers to it.'}
          </p>
        </Confirm>
      )}
    </>
  );
}

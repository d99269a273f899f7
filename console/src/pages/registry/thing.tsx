import { useState } from 'preact/hooks';
import { useList, useLoad } from '../../load.ts';
import { addressOf, goTo } from '../../router.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, DialogForm } from '../../ui/dialog.tsx';
import { Empty, Skeleton } from '../../ui/empty.tsx';
import { TextField } from '../../ui/fields.tsx';
import { notify } from '../../ui/notices.tsx';
import { Fact, Facts, Header, Panel } from '../../ui/page.tsx';
import { Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { GroupTable } from './group-table.tsx';
import type { Kind } from './kinds.ts';

export function Detail({ kind, id }: { kind: Kind; id: number }) {
  const { data: thing, error, reload } = useLoad((signal) => kind.get(id, signal), [id]);
  const [open, setOpen] = useState<'rename' | 'delete' | ''>('');
  const [name, setName] = useState('');
  const [required, setRequired] = useState(false);
  const references = useList(
    async (cursor, signal) => {
      const answer = await kind.references(id, { limit: 50, ...(cursor && { cursor }) }, signal);
      setRequired(answer.required);
      return { rows: answer.user_groups, next: answer.next_cursor };
    },
    [id],
  );
  const up = { address: addressOf(['registry', kind.path]), name: kind.many };
  const close = () => {
    setOpen('');
  };
  if (!thing) {
    return (
      <>
        <Header up={up} title={`No. ${id}`} />
        {error ? <Trouble error={error} retry={reload} /> : <Skeleton lines={5} />}
      </>
    );
  }
  return (
    <>
      <Header up={up} title={thing.name}>
        {may('registry:write') && (
          <>
            <Button
              onClick={() => {
                setName(thing.name);
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
          <Fact name="Your id">
            <code>{thing.provided_id}</code>
          </Fact>
          <Fact name="Our number">{thing.id}</Fact>
          <Fact name="Registered">
            <Time at={thing.created_at} />
          </Fact>
          <Fact name="Last changed">
            <Time at={thing.updated_at} />
          </Fact>
        </Facts>
      </Panel>
      <Panel title="What refers to it" about={required && 'The workspace requires it of every group.'} flush>
        <GroupTable list={references} label="User groups that refer to it">
          <Empty title="No user group refers to it">Under the policy “open” mappings refer to nothing.</Empty>
        </GroupTable>
      </Panel>
      {open === 'rename' && (
        <DialogForm
          title="Rename"
          submit="Save"
          onClose={close}
          onSubmit={async () => {
            await kind.rename(id, name);
            close();
            notify('Renamed');
            reload();
          }}
        >
          <TextField label="Name" required autofocus value={name} onChange={setName} />
        </DialogForm>
      )}
      {open === 'delete' && (
        <Confirm
          title={`Delete this ${kind.one}`}
          submit="Delete for good"
          what="its id"
          typed={thing.provided_id}
          onClose={close}
          onSubmit={async () => {
            await kind.remove(id);
            notify('Deleted');
            goTo(up.address);
          }}
        >
          <p>It is refused while anything refers to it.</p>
        </Confirm>
      )}
    </>
  );
}

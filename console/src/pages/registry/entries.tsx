import { useState } from 'preact/hooks';
import { curl } from '../../curl.ts';
import { useList } from '../../load.ts';
import { addressOf, filter, goTo, place } from '../../router.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SearchBox, TextField } from '../../ui/fields.tsx';
import { Header, type Tab, Tabs } from '../../ui/page.tsx';
import { ListFoot, Table } from '../../ui/table.tsx';
import { Text, Time } from '../../ui/text.tsx';
import type { Kind, Entry } from './kinds.ts';

export function Entries({ kind, tabs }: { kind: Kind; tabs: Tab[] }) {
  const [creating, setCreating] = useState(false);
  const provided = place.value.query.get('search') ?? '';
  const list = useList<Entry>(
    (cursor, signal) =>
      kind.list(
        { limit: 200, ...(provided && { provided_id: provided }), ...(cursor && { cursor }) },
        signal,
      ),
    [provided],
  );
  return (
    <>
      <Header title="Registry" about="What the mappings of user groups refer to.">
        {may('registry:write') && (
          <Button
            kind="main"
            icon="plus"
            onClick={() => {
              setCreating(true);
            }}
          >
            New {kind.one}
          </Button>
        )}
      </Header>
      <Tabs tabs={tabs} />
      <div class="filters">
        <SearchBox
          value={provided}
          label={`The ${kind.one} with exactly this id`}
          onChange={(text) => {
            filter({ search: text });
          }}
        />
      </div>
      <Table
        list={list}
        empty={
          provided ? (
            <Empty title={`No ${kind.one} has this id`}>The search takes the whole id.</Empty>
          ) : (
            <Empty title={`No ${kind.one} is registered`} curl={register(kind)}>
              {kind.about} Under the policy “open” nothing needs to be registered.
            </Empty>
          )
        }
        label={kind.many}
        head={['Name', 'ID', ['Internal no.'], 'Registered']}
        bones={4}
      >
        {list.rows.map((entry) => (
          <tr key={entry.id}>
            <td>
              <a class="row-link" data-row href={addressOf(['registry', kind.path, entry.id])}>
                <Text>{entry.name}</Text>
              </a>
            </td>
            <td>
              <code>
                <Text>{entry.provided_id}</Text>
              </code>
            </td>
            <td class="roomy">{entry.id}</td>
            <td>
              <Time at={entry.created_at} />
            </td>
          </tr>
        ))}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what={kind.many.toLowerCase()} />}
      {creating && (
        <Create
          kind={kind}
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
    </>
  );
}

function register(kind: Kind): string {
  const [id, name] =
    kind.path === 'schemas' ? ['sales', 'Sales'] : ['warehouse-emea', 'Warehouse EMEA'];
  return curl(`v1/${kind.path}`, `{"provided_id": "${id}", "name": "${name}"}`);
}

function Create({ kind, onClose }: { kind: Kind; onClose: () => void }) {
  const [provided_id, setId] = useState('');
  const [name, setName] = useState('');
  return (
    <DialogForm
      title={`New ${kind.one}`}
      submit="Register"
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await kind.create({ provided_id, name });
        goTo(addressOf(['registry', kind.path, id]));
      }}
    >
      <TextField
        label="ID"
        hint="Mappings name it by this id. It cannot be changed later."
        pointer="/provided_id"
        required
        autofocus
        spellcheck={false}
        value={provided_id}
        onChange={setId}
      />
      <TextField label="Name" pointer="/name" required value={name} onChange={setName} />
    </DialogForm>
  );
}

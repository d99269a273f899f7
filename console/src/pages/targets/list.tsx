import { useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { useList } from '../../load.ts';
import { addressOf, goTo } from '../../router.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Header } from '../../ui/page.tsx';
import { ListFoot, Table } from '../../ui/table.tsx';
import { Badge } from '../../ui/text.tsx';
import { TargetForm } from './form.tsx';
import { KINDS, type Target, UNFILTERED } from './kinds.ts';

export function List() {
  const [isCreating, setCreating] = useState(false);
  const list = useList<Target>(async (cursor, signal) => {
    const query = { limit: 100, ...(cursor && { cursor }) };
    const response = await dataOf(api.GET('/api/v1/targets', { params: { query }, signal }));
    return { rows: response.targets, next: response.next_cursor };
  }, []);
  return (
    <>
      <Header title="Targets" about="Dashboard tools that take tokens of their own.">
        {may('targets:write') && (
          <Button
            kind="main"
            icon="plus"
            onClick={() => {
              setCreating(true);
            }}
          >
            New target
          </Button>
        )}
      </Header>
      <Table
        list={list}
        empty={
          <Empty title="There are no targets yet">
            A target says which token a dashboard tool takes.
          </Empty>
        }
        label="Targets"
        head={['Name', 'Tool', ['Audience'], ['Seconds at most']]}
        bones={3}
      >
        {list.rows.map(({ name, kind, audience, max_seconds, unfiltered }) => (
          <tr key={name}>
            <td>
              <a class="row-link" data-row href={addressOf(['targets', name])}>
                {name}
              </a>
              {unfiltered && (
                <span class="cell-sub">
                  <Badge tone="warn">{UNFILTERED}</Badge>
                </span>
              )}
            </td>
            <td>{KINDS[kind].name}</td>
            <td class="roomy">{audience ?? <span class="none">–</span>}</td>
            <td class="roomy">{max_seconds}</td>
          </tr>
        ))}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="targets" />}
      {isCreating && (
        <TargetForm
          onClose={() => {
            setCreating(false);
          }}
          onDone={(name) => {
            goTo(addressOf(['targets', name]));
          }}
        />
      )}
    </>
  );
}

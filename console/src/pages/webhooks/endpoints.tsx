import { useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { curl } from '../../curl.ts';
import { useList } from '../../load.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Header } from '../../ui/page.tsx';
import { ListFoot, Table } from '../../ui/table.tsx';
import { Text } from '../../ui/text.tsx';
import { Create } from './dialogs.tsx';
import { type Endpoint, Health, State, Types } from './state.tsx';

const CREATE = curl(
  'v1/webhook-endpoints',
  '{"url": "https://hooks.example.com/groups", "event_types": ["user_group.*"]}',
);

export function List() {
  const [creating, setCreating] = useState(false);
  const list = useList<Endpoint>(async (cursor, signal) => {
    const response = await dataOf(
      api.GET('/api/v1/webhook-endpoints', {
        params: { query: { limit: 100, ...(cursor && { cursor }) } },
        signal,
      }),
    );
    return { rows: response.webhook_endpoints, next: response.next_cursor };
  }, []);
  return (
    <>
      <Header
        title="Webhooks"
        about="Changes are posted to these addresses, signed as Standard Webhooks."
      >
        {may('webhooks:write') && (
          <Button
            kind="main"
            icon="plus"
            onClick={() => {
              setCreating(true);
            }}
          >
            New endpoint
          </Button>
        )}
      </Header>
      <Table
        list={list}
        empty={
          <Empty
            title="There are no webhook endpoints yet"
            curl={may('webhooks:write') ? CREATE : undefined}
          >
            An endpoint is told of every change of the types that it asks for.
          </Empty>
        }
        label="Webhook endpoints"
        head={['Endpoint', 'State', ['Events']]}
        bones={3}
      >
        {list.rows.map((one) => (
          <tr key={one.id} class={one.enabled ? '' : 'faded'}>
            <td>
              <a class="row-link" data-row href={addressOf(['webhooks', one.id])}>
                <Text>{one.description ?? one.url}</Text>
              </a>
              {one.description && <span class="cell-sub mono">{one.url}</span>}
            </td>
            <td>
              <State endpoint={one} />
              <span class="cell-sub">
                <Health endpoint={one} />
              </span>
            </td>
            <td class="roomy">
              <Types types={one.event_types} />
            </td>
          </tr>
        ))}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="endpoints" />}
      {creating && (
        <Create
          onClose={() => {
            setCreating(false);
          }}
          onDone={list.reload}
        />
      )}
    </>
  );
}

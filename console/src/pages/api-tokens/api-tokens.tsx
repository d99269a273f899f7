import { useEffect } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { useList } from '../../load.ts';
import { addressOf, filter, place } from '../../router.ts';
import { session } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Choice, SearchBox } from '../../ui/fields.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Header } from '../../ui/page.tsx';
import { ListFoot, Table } from '../../ui/table.tsx';
import { span, Text, Time } from '../../ui/text.tsx';
import { useActions } from './actions.tsx';
import { ApiTokenPage } from './api-token.tsx';
import { Scopes } from './scopes.tsx';
import { type ApiToken, isDead, State } from './state.tsx';

export default function ApiTokens({ path: [id] }: { path: string[] }) {
  return id ? <ApiTokenPage key={id} id={Number(id)} /> : <List />;
}

function List() {
  const all = place.value.query.get('all') === '1';
  const search = (place.value.query.get('search') ?? '').toLowerCase();
  const list = useList<ApiToken>(async (cursor, signal) => {
    const response = await dataOf(
      api.GET('/api/v1/api-tokens', {
        params: { query: { limit: 200, ...(cursor && { cursor }) } },
        signal,
      }),
    );
    return { rows: response.api_tokens, next: response.next_cursor };
  }, []);
  // Searching and hiding need all of them.
  useEffect(() => {
    if (!list.error) list.more?.();
  }, [list.rows.length, list.busy]);
  const rows = list.rows.filter(
    (token) =>
      (all || !isDead(token)) && `${token.name} ${token.last_four}`.toLowerCase().includes(search),
  );
  const hidden = list.rows.filter(isDead).length;
  const { issue, buttonsOf, dialogs } = useActions(list.reload);
  return (
    <>
      <Header
        title="API tokens"
        about="Backends, renderers and people call the API with them. A token is shown once, when it is made."
      >
        <Button kind="main" icon="plus" onClick={issue}>
          New API token
        </Button>
      </Header>
      <div class="filters">
        <SearchBox
          value={place.value.query.get('search') ?? ''}
          label="Filter by name or last four characters"
          onChange={(text) => {
            filter({ search: text });
          }}
        />
        <Choice
          isOn={all}
          onChange={(isOn) => {
            filter({ all: isOn ? '1' : '' });
          }}
        >
          Show revoked and expired{!list.fresh && ` (${hidden})`}
        </Choice>
      </div>
      <Table
        list={{ ...list, rows }}
        empty={
          <Empty title="No API token matches">
            {all ? 'Try another search.' : 'Those that are revoked or expired are hidden.'}
          </Empty>
        }
        label="API tokens"
        head={['Name', 'State', ['Scopes'], ['Last used'], ['Expires'], '']}
        bones={4}
      >
        {rows.map((one) => (
          <tr key={one.id} class={isDead(one) ? 'faded' : ''}>
            <td>
              <a class="row-link" data-row href={addressOf(['api-tokens', String(one.id)])}>
                <Text>{one.name}</Text>
              </a>
              <span class="cell-sub">
                <code>…{one.last_four}</code>
                {session.value?.api_token.id === one.id && ' · you are using this'}
              </span>
              {one.subject && <span class="cell-sub">{one.subject}</span>}
            </td>
            <td>
              <State token={one} />
            </td>
            <td class="roomy">
              <Scopes scopes={one.scopes} />
              {one.allowed_cidrs && (
                <span class="cell-sub">
                  only from <span class="mono">{one.allowed_cidrs.join(', ')}</span>
                </span>
              )}
            </td>
            <td class="roomy">
              <Time at={one.last_used_at} none="never" />
            </td>
            <td class="roomy">
              {one.expires_at ? (
                <>
                  <Time at={one.expires_at} />
                  {!isDead(one) && <span class="cell-sub">in {span(one.expires_at)}</span>}
                </>
              ) : (
                <span class="none">never</span>
              )}
            </td>
            <td class="tools">
              {!isDead(one) && (
                <Menu label={`Actions for ${one.name}`} icon="more">
                  {buttonsOf(one)}
                </Menu>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="API tokens" />}
      {dialogs}
    </>
  );
}

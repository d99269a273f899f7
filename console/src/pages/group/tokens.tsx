import { useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { groupCall } from '../../curl.ts';
import { useList } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Panel } from '../../ui/page.tsx';
import { ListFoot, Table } from '../../ui/table.tsx';
import { Badge, moment, Time } from '../../ui/text.tsx';
import { whyRefused } from '../inspect/words.ts';
import { CurrentToken } from './current-token.tsx';

export function Tokens({
  group,
  round,
  onRotate,
  onChange,
}: {
  group: Schemas['UserGroup'];
  round: number;
  onRotate: () => void;
  onChange: (words: string) => Promise<void>;
}) {
  const { provided_id: id } = group;
  const [ending, setEnding] = useState<number>();
  const [current, setCurrent] = useState<Schemas['UserGroupToken']>();
  const actions = may('tokens:rotate') && (
    <Button icon="reload" onClick={onRotate}>
      Rotate
    </Button>
  );
  return (
    <Panel title="Tokens" actions={actions} flush>
      <CurrentToken group={group} known={current} round={round} />
      <TokenTable id={id} round={round} onEnd={setEnding} onKnown={setCurrent} />
      {ending !== undefined && (
        <Confirm
          title={`Revoke token no. ${ending}`}
          submit="Revoke now"
          call={() => groupCall('POST', id, `/tokens/${ending}/revoke`)}
          onClose={() => {
            setEnding(undefined);
          }}
          onSubmit={async () => {
            await dataOf(
              api.POST('/api/v1/user-groups/{id}/tokens/{generation}/revoke', {
                params: { path: { id, generation: ending } },
              }),
            );
            await onChange(`Token no. ${ending} revoked`);
            setEnding(undefined);
          }}
        >
          <p>Token {ending} opens no dashboard from now on. The current one stays as it is.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function TokenTable({
  id,
  round,
  onEnd,
  onKnown,
}: {
  id: string;
  round: number;
  onEnd: (generation: number) => void;
  onKnown: (current: Schemas['UserGroupToken']) => void;
}) {
  const list = useList(
    async (cursor, signal) => {
      const response = await dataOf(
        api.GET('/api/v1/user-groups/{id}/tokens', {
          params: { path: { id }, query: { limit: 10, ...(cursor && { cursor }) } },
          signal,
        }),
      );
      const current = response.tokens.find(({ state }) => state === 'current');
      if (current) onKnown(current);
      return { rows: response.tokens, next: response.next_cursor };
    },
    [id, round],
  );
  return (
    <>
      <Table
        list={list}
        label="Tokens"
        head={['Token', 'State', ['Issued'], ['Replaced'], 'Last used', '']}
        bones={2}
      >
        {list.rows.map((token) => (
          <tr key={token.generation} class={isLive(token) ? '' : 'faded'}>
            <td class="nowrap">
              No. {token.generation}{' '}
              <code class="soft" title="The last four characters">
                …{token.last_four}
              </code>
            </td>
            <td>
              <TokenState token={token} />
            </td>
            <td class="roomy">
              <Time at={token.created_at} />
            </td>
            <td class="roomy">
              <Time at={token.retired_at} />
            </td>
            <td>
              <Time at={token.last_introspected_at} none="never" />
            </td>
            <td class="tools">
              {token.state === 'overlap' && may('tokens:rotate') && (
                <Button
                  onClick={() => {
                    onEnd(token.generation);
                  }}
                >
                  Revoke now
                </Button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="tokens" />}
    </>
  );
}

function isLive({ state }: Schemas['UserGroupToken']): boolean {
  return state === 'current' || state === 'overlap';
}

/** The cause that makes a token inactive comes first. */
function TokenState({ token }: { token: Schemas['UserGroupToken'] }) {
  const { state, valid_until: until } = token;
  const why = token.refused_because && whyRefused(token.refused_because);
  if (!isLive(token)) return <span class="soft">{why ?? state}</span>;
  const overlap = until && `valid until ${moment(until)}`;
  if (why) {
    return (
      <>
        <Badge tone="bad">inactive</Badge> {why}
        {overlap && ` (overlap ${overlap})`}
      </>
    );
  }
  if (state === 'current') return <Badge tone="good">current</Badge>;
  return (
    <>
      <Badge tone="accent">Old token</Badge> {overlap}
    </>
  );
}

import { useState } from 'preact/hooks';
import { api, answerOf } from '../../api.ts';
import { useList } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Panel } from '../../ui/page.tsx';
import { BoneRows, ListFoot, Table, ToolsHead } from '../../ui/table.tsx';
import { Badge, span, Time } from '../../ui/text.tsx';

const REFUSED: Record<string, string> = {
  superseded: 'replaced by a newer one',
  overlap_expired: 'its overlap is over',
  revoked: 'ended by hand',
  group_suspended: 'the group is suspended',
  group_incomplete: 'the group lacks a required variable or schema',
};

export function Tokens({
  id,
  round,
  onReveal,
  onRotate,
  onChange,
}: {
  id: string;
  round: number;
  onReveal: () => void;
  onRotate: () => void;
  onChange: (words: string) => void;
}) {
  const [ending, setEnding] = useState<number>();
  const actions = (
    <>
      <Button icon="eye" onClick={onReveal}>
        Show the current one
      </Button>
      {may('tokens:rotate') && (
        <Button kind="main" icon="reload" onClick={onRotate}>
          Rotate
        </Button>
      )}
    </>
  );
  return (
    <Panel title="Tokens" actions={actions} flush>
      {may('admin') ? (
        <TokenTable id={id} round={round} onEnd={setEnding} />
      ) : (
        <Empty title="The history of tokens needs the scope admin" />
      )}
      {ending !== undefined && (
        <Confirm
          title="End the overlap"
          submit="End it now"
          onClose={() => {
            setEnding(undefined);
          }}
          onSubmit={async () => {
            await answerOf(
              api.POST('/api/v1/user-groups/{id}/tokens/{generation}/revoke', {
                params: { path: { id, generation: ending } },
              }),
            );
            setEnding(undefined);
            onChange('The overlap has ended');
          }}
        >
          <p>Token {ending} opens no dashboard from now on. The current one stays as it is.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function TokenTable({ id, round, onEnd }: { id: string; round: number; onEnd: (generation: number) => void }) {
  const list = useList(
    async (cursor, signal) => {
      const answer = await answerOf(
        api.GET('/api/v1/user-groups/{id}/tokens', {
          params: { path: { id }, query: { limit: 10, ...(cursor && { cursor }) } },
          signal,
        }),
      );
      return { rows: answer.tokens, next: answer.next_cursor };
    },
    [id, round],
  );
  return (
    <>
      <Table
        label="Tokens"
        head={
          <>
            <th>Token</th>
            <th>State</th>
            <th>Issued</th>
            <th>Replaced</th>
            <th>Last used</th>
            <ToolsHead />
          </>
        }
      >
        {list.fresh && <BoneRows columns={6} rows={2} />}
        {list.rows.map((token) => (
          <tr key={token.generation} class={token.state === 'ended' ? 'faded' : ''}>
            <td class="nowrap">
              No. {token.generation}{' '}
              <code class="soft" title="The last four characters">
                …{token.last_four ?? '????'}
              </code>
            </td>
            <td>
              <TokenState token={token} />
            </td>
            <td>
              <Time at={token.created_at} />
            </td>
            <td>
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
                  End now
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

function TokenState({ token }: { token: Schemas['UserGroupToken'] }) {
  const why = token.refused_because && REFUSED[token.refused_because];
  if (token.state === 'current') {
    return why ? (
      <Badge tone="bad" title={why}>
        inactive: {why}
      </Badge>
    ) : (
      <Badge tone="good">current</Badge>
    );
  }
  if (token.state === 'overlap' && token.valid_until) {
    return (
      <Badge tone="accent" title={`Until ${token.valid_until}`}>
        overlap, {span(token.valid_until)} left
      </Badge>
    );
  }
  return <span class="soft">ended{why ? `: ${why}` : ''}</span>;
}

import { useState } from 'preact/hooks';
import { api, answerOf } from '../../api.ts';
import { writeUserGroup } from '../../curl.ts';
import { useList } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { filter, place } from '../../router.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SearchBox } from '../../ui/fields.tsx';
import { notify } from '../../ui/notices.tsx';
import { Panel } from '../../ui/page.tsx';
import { BoneRows, ListFoot, Table, ToolsHead } from '../../ui/table.tsx';
import { Badge, Name, Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';

type Attempt = Schemas['WebhookAttempt'];

const TONES: Record<Attempt['delivery'], string> = { delivered: 'good', pending: 'accent', failed: 'bad' };

export function Attempts({ id, onReplay }: { id: number; onReplay: () => void }) {
  const event_id = place.value.query.get('search') ?? '';
  const [trouble, setTrouble] = useState<unknown>();
  const list = useList<Attempt>(
    async (cursor, signal) => {
      const query = { limit: 50, ...(event_id && { event_id }), ...(cursor && { cursor }) };
      const answer = await answerOf(
        api.GET('/api/v1/webhook-endpoints/{id}/attempts', { params: { path: { id }, query }, signal }),
      );
      return { rows: answer.attempts, next: answer.next_cursor };
    },
    [id, event_id],
  );
  const again = (one: Attempt) => {
    setTrouble(undefined);
    const call = api.POST('/api/v1/webhook-endpoints/{id}/replay', {
      params: { path: { id } },
      body: { event_id: one.event_id },
    });
    answerOf(call).then(() => {
      notify('It will be sent again');
      list.reload();
    }, setTrouble);
  };
  const actions = (
    <>
      <Button icon="reload" onClick={list.reload}>
        Reload
      </Button>
      {may('webhooks:write') && <Button onClick={onReplay}>Send a period again</Button>}
    </>
  );
  return (
    <Panel title="Attempts" about="What was sent, the latest first." actions={actions} flush>
      <Trouble error={trouble} />
      <div class="panel-filters">
        <SearchBox
          value={event_id}
          label="Attempts of one event, by its webhook-id"
          onChange={(text) => {
            filter({ search: text });
          }}
        />
      </div>
      <Table
        label="Attempts"
        head={
          <>
            <th>Time</th>
            <th>Event</th>
            <th>Outcome</th>
            <th class="roomy">Took</th>
            <th>Delivery</th>
            <ToolsHead />
          </>
        }
      >
        {list.fresh && <BoneRows columns={6} rows={4} />}
        {list.rows.map((one) => (
          <tr key={one.event_id + one.occurred_at}>
            <td>
              <Time at={one.occurred_at} />
            </td>
            <td>
              <Name>{one.type}</Name>
              <span class="cell-sub mono">{one.event_id}</span>
            </td>
            <td>
              {one.status ?? one.failure ?? '–'}
              {one.answer && <Answer text={one.answer} />}
            </td>
            <td class="roomy">{one.duration_ms} ms</td>
            <td>
              <Badge tone={TONES[one.delivery]}>{one.delivery}</Badge>
              <span class="cell-sub">
                try {one.attempt}
                {one.next_attempt_at && (
                  <>
                    , next <Time at={one.next_attempt_at} />
                  </>
                )}
              </span>
            </td>
            <td class="tools">
              {may('webhooks:write') && (
                <Button
                  onClick={() => {
                    again(one);
                  }}
                >
                  Send again
                </Button>
              )}
            </td>
          </tr>
        ))}
        {!list.fresh && !list.error && list.rows.length === 0 && (
          <tr>
            <td colSpan={6}>
              <Empty
                title={event_id ? 'No attempt of this event' : 'Nothing was sent yet'}
                curl={event_id ? undefined : writeUserGroup}
              >
                Change a user group, and the attempt appears here within seconds.
              </Empty>
            </td>
          </tr>
        )}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="attempts" />}
    </Panel>
  );
}

function Answer({ text }: { text: string }) {
  return (
    <details class="cell-sub">
      <summary>its answer</summary>
      <code>{text}</code>
    </details>
  );
}

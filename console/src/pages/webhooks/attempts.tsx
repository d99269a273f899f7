import { useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { useRepeated } from '../../attended.ts';
import { writeUserGroup } from '../../curl.ts';
import { useList, useLoad } from '../../load.ts';
import { filter, place } from '../../router.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SearchBox, Select } from '../../ui/fields.tsx';
import { notify } from '../../ui/notices.tsx';
import { Panel } from '../../ui/page.tsx';
import { ListFoot, Table } from '../../ui/table.tsx';
import { Badge, Name, Time } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Unfold } from '../../ui/unfold.tsx';
import { ResponseText, Message } from './message.tsx';
import { type Attempt, type Endpoint, Outcome } from './state.tsx';

const TONES: Record<Attempt['delivery'], string> = {
  delivered: 'good',
  pending: 'accent',
  failed: 'bad',
};
const DELIVERIES = ['pending', 'failed', 'delivered'] as const;
const RELOADED_EVERY = 3000;
/** More rows are not loaded again by themselves. */
const RELOADED_ROWS = 100;
const TEST = 'webhook.test';

/** The latest attempt of each event, in the order of the list. */
function latestOf(attempts: Attempt[]): Attempt[] {
  const latest = new Map<string, Attempt>();
  for (const one of attempts) if (!latest.has(one.event_id)) latest.set(one.event_id, one);
  return [...latest.values()];
}

const attemptsOf = async (id: number, query: object, signal: AbortSignal) =>
  dataOf(
    api.GET('/api/v1/webhook-endpoints/{id}/attempts', { params: { path: { id }, query }, signal }),
  );

export function Attempts({
  endpoint,
  onReplay,
  onReload,
}: {
  endpoint: Endpoint;
  onReplay: () => void;
  onReload: () => void;
}) {
  const { id } = endpoint;
  const event_id = place.value.query.get('search') ?? '';
  const state = place.value.query.get('delivery') ?? '';
  const [trouble, setTrouble] = useState<unknown>();
  const list = useList<Attempt>(
    async (cursor, signal) => {
      const query = { limit: 50, ...(event_id && { event_id }), ...(cursor && { cursor }) };
      const response = await attemptsOf(id, query, signal);
      return { rows: response.attempts, next: response.next_cursor };
    },
    [id, event_id],
  );
  useRepeated(() => {
    if (list.busy || list.error || list.rows.length > RELOADED_ROWS) return;
    list.reload();
    onReload();
  }, RELOADED_EVERY);
  const again = (one: Attempt) => {
    setTrouble(undefined);
    const call = api.POST('/api/v1/webhook-endpoints/{id}/replay', {
      params: { path: { id } },
      body: { event_id: one.event_id },
    });
    dataOf(call).then(() => {
      notify('It will be sent again');
      list.reload();
    }, setTrouble);
  };
  const actions = may('webhooks:write') && <Button onClick={onReplay}>Replay…</Button>;
  const events = latestOf(list.rows);
  const counts = DELIVERIES.flatMap((one) => {
    const count = events.filter(({ delivery }) => delivery === one).length;
    return count > 0 ? [`${count.toLocaleString()} ${one}`] : [];
  });
  const shown = events.filter(({ delivery }) => state === '' || delivery === state);
  return (
    <Panel
      title="Attempts"
      about="By event, the latest first. The list follows what is sent."
      actions={actions}
      flush
    >
      <Trouble error={trouble} />
      <div class="panel-filters">
        <SearchBox
          value={event_id}
          label="Attempts of one event, by its webhook-id"
          onChange={(text) => {
            filter({ search: text });
          }}
        />
        <Select
          label="Delivery"
          value={state}
          options={[['', 'any'], ...DELIVERIES.map((one): [string, string] => [one, one])]}
          onChange={(delivery) => {
            filter({ delivery });
          }}
        />
        <span class="soft" role="status">
          {counts.length > 0 &&
            `${counts.join(', ')} of the events ${list.more ? 'so far' : 'kept'}`}
        </span>
      </div>
      <Table
        list={{ ...list, rows: shown }}
        empty={
          events.length > 0 ? (
            <Empty title={`No event ${list.more ? 'so far ' : ''}is ${state}`} />
          ) : (
            <Empty
              title={event_id ? 'No attempt of this event' : 'Nothing was sent yet'}
              curl={event_id ? undefined : writeUserGroup}
            >
              Change a user group or send a test event, and the attempt appears here.
            </Empty>
          )
        }
        label="Attempts"
        head={['Latest attempt', 'Event', ['Response'], 'Delivery']}
        bones={4}
      >
        {shown.map((one) => (
          <Row
            key={one.event_id}
            latest={one}
            endpoint={endpoint}
            onAgain={() => {
              again(one);
            }}
          />
        ))}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="attempts" />}
    </Panel>
  );
}

function Row({
  latest,
  endpoint,
  onAgain,
}: {
  latest: Attempt;
  endpoint: Endpoint;
  onAgain: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const next = latest.next_attempt_at;
  return (
    <>
      <tr class={isOpen ? 'open' : ''}>
        <td class="nowrap">
          <Unfold isOpen={isOpen} setOpen={setOpen} of="Details of" data-row>
            <Time at={latest.occurred_at} />
          </Unfold>
        </td>
        <td>
          <Name>{latest.type}</Name>
          <span class="cell-sub mono">{latest.event_id}</span>
        </td>
        <td class="roomy">
          <Outcome attempt={latest} />
        </td>
        <td>
          <Badge tone={TONES[latest.delivery]}>{latest.delivery}</Badge>
          <span class="cell-sub">
            {latest.attempt} {latest.attempt === 1 ? 'attempt' : 'attempts'}
            {next && <>, next {Date.parse(next) < Date.now() ? 'now' : <Time at={next} />}</>}
          </span>
        </td>
      </tr>
      {isOpen && (
        <tr class="details">
          <td colSpan={4}>
            <Details latest={latest} endpoint={endpoint} onAgain={onAgain} />
          </td>
        </tr>
      )}
    </>
  );
}

/** The message that was sent, and each attempt to send it. */
function Details({
  latest,
  endpoint,
  onAgain,
}: {
  latest: Attempt;
  endpoint: Endpoint;
  onAgain: () => void;
}) {
  const { event_id, attempt } = latest;
  const { data, error } = useLoad(
    async (signal) => (await attemptsOf(endpoint.id, { event_id, limit: 50 }, signal)).attempts,
    [event_id, attempt],
  );
  return (
    <div class="message">
      <Trouble error={error} />
      {may('webhooks:write') && latest.type !== TEST && (
        <div class="actions">
          <Button onClick={onAgain}>Send again</Button>
        </div>
      )}
      <h3>Attempts</h3>
      <ul class="plain-list">
        {(data ?? [latest]).map((one) => (
          <li key={one.attempt}>
            <span class="soft">No. {one.attempt}</span> <Time at={one.occurred_at} />{' '}
            <Outcome attempt={one} />
            <ResponseText attempt={one} />
          </li>
        ))}
      </ul>
      <Message attempt={latest} endpoint={endpoint} />
    </div>
  );
}

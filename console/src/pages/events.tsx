import { useEffect, useRef, useState } from 'preact/hooks';
import { readMessages } from '../../../clients/typescript/event-stream.ts';
import { fetchOk, Refusal } from '../api.ts';
import { isAttended } from '../attended.ts';
import { curl } from '../curl.ts';
import type { Schemas } from '../own-types.ts';
import { addressOf, filter, place } from '../router.ts';
import { may } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { SearchBox } from '../ui/fields.tsx';
import { Header } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { Badge, Name, Time } from '../ui/text.tsx';
import { Trouble } from '../ui/trouble.tsx';

type Event = Schemas['Event'];

const KEPT = 500;
const RECONNECT_AFTER = 2000;

interface Live {
  events: Event[];
  isOn: boolean;
  error: unknown;
}

function useStream(types: string, isPaused: boolean): Live & { clear: () => void } {
  const [events, setEvents] = useState<Event[]>([]);
  const [isOn, setIsOn] = useState(false);
  const [error, setError] = useState<unknown>();
  /** The event to resume the stream after, also after a pause. */
  const last = useRef('');
  useEffect(() => {
    setEvents([]);
    last.current = '';
  }, [types]);
  useEffect(() => {
    if (isPaused) return undefined;
    const ending = new AbortController();
    const query = types ? `?${new URLSearchParams({ types }).toString()}` : '';
    const isOver = () => ending.signal.aborted;
    const listen = async () => {
      while (!isOver()) {
        try {
          const { body } = await fetchOk(`api/v1/events/stream${query}`, {
            signal: ending.signal,
            headers: last.current ? { 'Last-Event-ID': last.current } : {},
          });
          setIsOn(true);
          setError(undefined);
          const messages = readMessages(body!, ending.signal, last.current);
          for await (const { event, data, lastEventId } of messages) {
            last.current = lastEventId;
            if (event === 'change') {
              const one = JSON.parse(data) as Event;
              // An event can come more than once.
              setEvents((old) => [one, ...old.filter(({ id }) => id !== one.id)].slice(0, KEPT));
            }
          }
        } catch (reason) {
          if (isOver()) return;
          setError(reason);
          const isGone = reason instanceof Refusal && reason.problem.status === 410;
          if (isGone) last.current = '';
        }
        setIsOn(false);
        do await new Promise((resolve) => setTimeout(resolve, RECONNECT_AFTER));
        while (!isAttended() && !isOver());
      }
    };
    void listen();
    return () => {
      ending.abort();
      setIsOn(false);
    };
  }, [types, isPaused]);
  const clear = () => {
    setEvents([]);
  };
  return { events, isOn, error, clear };
}

export default function Events() {
  const types = place.value.query.get('types') ?? '';
  const [isPaused, setIsPaused] = useState(false);
  const { events, isOn, error, clear } = useStream(types, isPaused);
  return (
    <>
      <Header
        title={
          <>
            Events <Badge tone={isOn ? 'good' : ''}>{isOn ? 'live' : isPaused ? 'paused' : 'connecting'}</Badge>
          </>
        }
        about="What changes in the workspace while this page is open."
      >
        {events.length > 0 && <Button onClick={clear}>Clear</Button>}
        <Button
          icon={isPaused ? 'play' : 'pause'}
          onClick={() => {
            setIsPaused(!isPaused);
          }}
        >
          {isPaused ? 'Go on' : 'Pause'}
        </Button>
      </Header>
      <Trouble error={error} />
      <div class="filters">
        <SearchBox
          value={types}
          label="Types, such as user_group.*, api_token.*"
          onChange={(text) => {
            filter({ types: text.replaceAll(/\s/g, '') });
          }}
        />
      </div>
      <Table
        label="Events"
        head={
          <>
            <th>Time</th>
            <th>Type</th>
            <th>What has changed</th>
            <th class="roomy">Event</th>
          </>
        }
      >
        {events.map((event) => (
          <tr key={event.id}>
            <td>
              <Time at={event.occurred_at} />
            </td>
            <td>
              <Name>{event.type}</Name>
            </td>
            <td>
              <Subject event={event} />
            </td>
            <td class="roomy">
              <code class="soft">{event.id}</code>
            </td>
          </tr>
        ))}
        {events.length === 0 && (
          <tr>
            <td colSpan={4}>
              <Empty title="Nothing has happened since the page was opened" curl={FOLLOW}>
                Change something, here or by the API, and it appears at once. A backend follows the same stream:
              </Empty>
            </td>
          </tr>
        )}
      </Table>
    </>
  );
}

const FOLLOW = curl('v1/events/stream', undefined, '-N');

function Subject({ event: { user_group: group, object } }: { event: Event }) {
  if (group) {
    const detail = group.generation
      ? ` token no. ${group.generation}`
      : group.version
        ? ` version ${group.version}`
        : '';
    return (
      <>
        {may('user-groups:read') ? (
          <a data-row href={addressOf(['groups', group.provided_id])}>
            {group.provided_id}
          </a>
        ) : (
          group.provided_id
        )}
        <span class="soft">{detail}</span>
      </>
    );
  }
  if (!object) return <span class="none">–</span>;
  return (
    <>
      <span class="soft">{object.type.replace('_', ' ')}</span> <code>{object.id}</code>
    </>
  );
}

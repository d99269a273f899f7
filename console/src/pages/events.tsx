import { useEffect, useRef, useState } from 'preact/hooks';
import { dataOf, api } from '../api.ts';
import { curl } from '../curl.ts';
import { followEvents } from '../follow-events.ts';
import type { Schemas } from '../own-types.ts';
import { addressOf, filter, place } from '../router.ts';
import { may } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { useLoad } from '../load.ts';
import { Empty, Skeleton } from '../ui/empty.tsx';
import { SearchBox } from '../ui/fields.tsx';
import { Json } from '../ui/json.tsx';
import { Header } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { Badge, Name, Text, Time } from '../ui/text.tsx';
import { Trouble } from '../ui/trouble.tsx';
import { Unfold } from '../ui/unfold.tsx';
import { AuditDetails, type TokenNames } from './audit/row.tsx';
import { isEvent } from './audit/sentence.ts';

type Event = Schemas['Event'];

const KEPT = 500;

const BEGUN_WITH = 50;
/** The latest entries of the audit log; some of them are no events. */
const LOOKED_AT = 200;

function isOfTypes(type: string, types: string): boolean {
  const isLike = (one: string) =>
    one.endsWith('*') ? type.startsWith(one.slice(0, -1)) : type === one;
  return types === '' || types.split(',').some(isLike);
}

/** The latest events, as the audit log has them under the same ids. */
async function latest(types: string, signal: AbortSignal): Promise<Event[]> {
  if (!may('audit:read')) return [];
  const call = api.GET('/api/v1/audit-events', { params: { query: { limit: LOOKED_AT } }, signal });
  const { audit_events: found } = await dataOf(call);
  return found
    .filter(({ action }) => isEvent(action) && isOfTypes(action, types))
    .slice(0, BEGUN_WITH)
    .map(({ id, action: type, occurred_at, object }) => ({
      id,
      type,
      occurred_at,
      ...(object?.type === 'user_group'
        ? { user_group: { team_id: 0, provided_id: object.id } }
        : object && { object: { type: object.type, id: object.id } }),
    }));
}

interface Live {
  events: Event[];
  isOn: boolean;
  error: unknown;
}

function useStream(types: string, isPaused: boolean): Live {
  const [events, setEvents] = useState<Event[]>([]);
  const [isOn, setIsOn] = useState(false);
  const [error, setError] = useState<unknown>();
  /** The event to resume the stream after, also after a pause. */
  const last = useRef('');
  useEffect(() => {
    setEvents([]);
    last.current = '';
    const ending = new AbortController();
    latest(types, ending.signal).then(
      (before) => {
        if (ending.signal.aborted) return;
        setEvents((newer) => [
          ...newer,
          ...before.filter(({ id }) => newer.every((one) => one.id !== id)),
        ]);
      },
      (reason: unknown) => {
        if (!ending.signal.aborted) setError(reason);
      },
    );
    return () => ending.abort();
  }, [types]);
  useEffect(() => {
    if (isPaused) return undefined;
    const ending = new AbortController();
    void followEvents({
      types,
      last,
      signal: ending.signal,
      onOpen: () => {
        setIsOn(true);
        setError(undefined);
      },
      onEvent: (one) => {
        // An event can come more than once.
        setEvents((old) => [one, ...old.filter(({ id }) => id !== one.id)].slice(0, KEPT));
      },
      onClose: (reason) => {
        if (reason !== undefined) setError(reason);
        setIsOn(false);
      },
    });
    return () => {
      ending.abort();
      setIsOn(false);
    };
  }, [types, isPaused]);
  return { events, isOn, error };
}

export default function Events() {
  const types = place.value.query.get('types') ?? '';
  const [isPaused, setIsPaused] = useState(false);
  const { events, isOn, error } = useStream(types, isPaused);
  return (
    <>
      <Header
        title={
          <>
            Events{' '}
            <Badge tone={isOn ? 'good' : ''}>
              {isOn ? 'live' : isPaused ? 'paused' : 'connecting'}
            </Badge>
          </>
        }
        about="What changes in the workspace: the latest, and what happens while this page is open."
      >
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
        empty={
          events.length === 0 && (
            <Empty title="Nothing new yet" curl={FOLLOW}>
              Change something, here or by the API, and it appears at once. A backend follows the
              same stream:
            </Empty>
          )
        }
        label="Events"
        head={['Time', 'Type', 'What has changed', ['Event']]}
      >
        {events.map((event) => (
          <Row key={event.id} event={event} />
        ))}
      </Table>
    </>
  );
}

const FOLLOW = curl('v1/events/stream', undefined, '-N');

function Row({ event }: { event: Event }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <tr class={isOpen ? 'open' : ''}>
        <td class="nowrap">
          <Unfold isOpen={isOpen} setOpen={setOpen} of="Details of">
            <Time at={event.occurred_at} />
          </Unfold>
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
      {isOpen && (
        <tr class="details">
          <td colSpan={4}>
            {may('audit:read') ? <Details event={event} /> : <Payload event={event} />}
          </td>
        </tr>
      )}
    </>
  );
}

function Payload({ event }: { event: Event }) {
  return <Json label="Event" text={JSON.stringify(event)} />;
}

const NO_NAMES: TokenNames = new Map();

/** The change as the audit log shows it, or the event itself if that entry was removed. */
function Details({ event }: { event: Event }) {
  const { data, error } = useLoad(async (signal) => {
    const at = event.occurred_at;
    const query = {
      types: event.type,
      from: at,
      to: new Date(Date.parse(at) + 1).toISOString(),
      limit: 200,
    };
    const call = api.GET('/api/v1/audit-events', { params: { query }, signal });
    return { found: (await dataOf(call)).audit_events.find(({ id }) => id === event.id) };
  }, []);
  if (error) return <Trouble error={error} />;
  if (!data) return <Skeleton lines={2} />;
  if (!data.found) return <Payload event={event} />;
  return <AuditDetails event={data.found} names={NO_NAMES} />;
}

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
            <Text>{group.provided_id}</Text>
          </a>
        ) : (
          <Text>{group.provided_id}</Text>
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

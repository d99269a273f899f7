import { useState } from 'preact/hooks';
import { ownActions } from '../../../src/audit/audit-actions.ts';
import { api, fetchOk, answerOf } from '../api.ts';
import { useList, useLoad } from '../load.ts';
import type { Schemas } from '../own-types.ts';
import { addressOf, filter, place } from '../router.ts';
import { may } from '../session.ts';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { SearchBox } from '../ui/fields.tsx';
import { Icon } from '../ui/icons.tsx';
import { Fact, Facts, Header } from '../ui/page.tsx';
import { saveLines } from '../save.ts';
import { BoneRows, ListFoot, Table } from '../ui/table.tsx';
import { Name, Time } from '../ui/text.tsx';
import { Trouble } from '../ui/trouble.tsx';

type AuditEvent = Schemas['AuditEvent'];

const FILTERS = [
  ...['search', 'types', 'api_token_id', 'object_type', 'object_id'],
  ...['request_id', 'from', 'to'],
] as const;

function toMoment(local: string): string {
  const moment = new Date(local);
  return Number.isNaN(moment.getTime()) ? '' : moment.toISOString();
}

export default function Audit() {
  const { query } = place.value;
  const given = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? '']));
  const asked = { ...given, from: toMoment(given['from']!), to: toMoment(given['to']!) };
  const filters = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== ''));
  const list = useList<AuditEvent>(
    async (cursor, signal) => {
      const beyond = { ...filters, ...(cursor && { cursor }) } as object;
      const answer = await answerOf(
        api.GET('/api/v1/audit-events', { params: { query: { limit: 50, ...beyond } }, signal }),
      );
      return { rows: answer.audit_events, next: answer.next_cursor };
    },
    [JSON.stringify(filters)],
  );
  const exporting = useAction(async () => {
    const { api_token_id, types, ...others } = filters;
    const response = await fetchOk('api/v1/audit-events/export', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        ...others,
        ...(types && { types: types.split(',') }),
        ...(api_token_id && { api_token_id: Number(api_token_id) }),
      }),
    });
    await saveLines('audit-events.ndjson', response);
  });
  const text = (name: string, label: string, props: object = {}) => (
    <label class="select">
      <span>{label}</span>
      <input
        value={given[name]}
        spellcheck={false}
        {...props}
        onChange={(event) => {
          filter({ [name]: event.currentTarget.value.trim() });
        }}
      />
    </label>
  );
  const names = useApiTokenNames();
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <Header
        title="Audit log"
        about="Who changed what, when and from where; to whom tokens were shown; which calls were refused."
      >
        <Button busy={exporting.busy} onClick={exporting.run}>
          Export{isFiltered ? ' what is filtered' : ''}
        </Button>
      </Header>
      <Trouble error={exporting.error} />
      <div class="filters">
        <SearchBox
          value={given['search']!}
          label="Search actions, ids and details"
          onChange={(value) => {
            filter({ search: value });
          }}
        />
        {text('types', 'Action', { list: 'actions', size: 20, placeholder: 'any' })}
        <datalist id="actions">
          {ownActions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        {text('api_token_id', 'API token', { inputMode: 'numeric', size: 4, placeholder: 'any' })}
        {text('object_id', 'Object', { size: 14, placeholder: 'any id' })}
        {text('from', 'From', { type: 'datetime-local' })}
        {text('to', 'To', { type: 'datetime-local' })}
        {isFiltered && (
          <Button
            kind="quiet"
            icon="close"
            onClick={() => {
              filter(Object.fromEntries(FILTERS.map((name) => [name, ''])));
            }}
          >
            Clear filters
          </Button>
        )}
      </div>
      <Table
        label="Audit events"
        head={
          <>
            <th>Time</th>
            <th>Action</th>
            <th>Object</th>
            <th class="roomy">Actor</th>
          </>
        }
      >
        {list.fresh && <BoneRows columns={4} rows={10} />}
        {list.rows.map((event) => (
          <Row key={event.id} event={event} names={names} />
        ))}
        {!list.fresh && !list.error && list.rows.length === 0 && (
          <tr>
            <td colSpan={4}>
              <Empty title={list.more ? 'None so far' : 'No event matches'}>
                {list.more
                  ? 'The log goes on: look further below.'
                  : 'Try fewer filters, or a longer time. Events are kept for as long as the retention says.'}
              </Empty>
            </td>
          </tr>
        )}
      </Table>
      <ListFoot list={list} what="events" />
    </>
  );
}

/** The names of API tokens by id, as far as the caller may know them. */
type TokenNames = ReadonlyMap<number, string>;

const NAMED_AT_MOST = 200;

function useApiTokenNames(): TokenNames {
  const { data } = useLoad(async (signal) => {
    const query = { limit: NAMED_AT_MOST };
    if (!may('admin')) return [];
    return (await answerOf(api.GET('/api/v1/api-tokens', { params: { query }, signal }))).api_tokens;
  }, []);
  return new Map(data?.map(({ id, name }) => [id, name]));
}

function Row({ event, names }: { event: AuditEvent; names: TokenNames }) {
  const [open, setOpen] = useState(false);
  const { actor, object } = event;
  return (
    <>
      <tr class={open ? 'open' : ''}>
        <td class="nowrap">
          <button
            type="button"
            class="unfold"
            data-row
            aria-expanded={open}
            onClick={() => {
              setOpen(!open);
            }}
          >
            <Icon name={open ? 'down' : 'right'} />
            <span class="unseen">Details of </span>
            <Time at={event.occurred_at} />
          </button>
        </td>
        <td>
          <Name>{event.action}</Name>
        </td>
        <td>{object ? <ObjectLink object={object} /> : <span class="none">–</span>}</td>
        <td class="roomy">
          <ActorName actor={actor} names={names} />
        </td>
      </tr>
      {open && (
        <tr class="details">
          <td colSpan={4}>
            <Facts>
              <Fact name="Actor">
                <ActorName actor={actor} names={names} />
              </Fact>
              <Fact name="Address">
                <code>{actor.address ?? '–'}</code>
              </Fact>
              <Fact name="Request">
                {actor.request_id ? (
                  <a href={addressOf(['audit'], { request_id: actor.request_id })}>
                    <code>{actor.request_id}</code>
                  </a>
                ) : (
                  '–'
                )}
              </Fact>
              <Fact name="Event">
                <code>{event.id}</code>
              </Fact>
            </Facts>
            <Changes before={event.before} after={event.after} />
            {event.details && (
              <>
                <h2>Details</h2>
                <Values value={event.details} />
              </>
            )}
          </td>
        </tr>
      )}
    </>
  );
}

function ActorName({ actor, names }: { actor: Schemas['AuditEventActor']; names: TokenNames }) {
  const NAMES = new Map([
    ['operator', 'command line'],
    ['service', 'the service'],
    ['unknown', 'nobody known'],
  ]);
  if (actor.type !== 'api_token') return <span>{NAMES.get(actor.type) ?? actor.type}</span>;
  const name = names.get(actor.api_token_id!);
  return (
    <>
      <a href={addressOf(['audit'], { api_token_id: String(actor.api_token_id) })}>
        {name ?? `API token ${actor.api_token_id}`}
      </a>
      {name !== undefined && <span class="soft"> no. {actor.api_token_id}</span>}
    </>
  );
}

function ObjectLink({ object }: { object: Schemas['AuditEventObject'] }) {
  const places: Record<string, [string, ...string[]] | undefined> = {
    user_group: may('user-groups:read') ? ['groups', object.id] : undefined,
    schema: may('registry:read') ? ['registry', 'schemas', object.id] : undefined,
    data_source: may('registry:read') ? ['registry', 'data-sources', object.id] : undefined,
    webhook_endpoint: may('webhooks:read') ? ['webhooks', object.id] : undefined,
  };
  const path = places[object.type];
  return (
    <>
      <span class="soft">{object.type.replace('_', ' ')}</span>{' '}
      {path ? (
        <a href={addressOf(path)}>
          <code>{object.id}</code>
        </a>
      ) : (
        <code>{object.id}</code>
      )}
    </>
  );
}

type Fields = Record<string, unknown>;

/** The old and new value of each changed field. */
function Changes({ before, after }: { before: object | undefined; after: object | undefined }) {
  if (!before && !after) return null;
  const [old, now] = [(before ?? {}) as Fields, (after ?? {}) as Fields];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return (
    <div class="before-after">
      {(
        [
          ['Before', old, now, 'gone'],
          ['After', now, old, 'come'],
        ] as const
      ).map(([title, own, other, tone]) => (
        <div key={title}>
          <h2>{title}</h2>
          {names.map((name) => {
            const isThere = Object.hasOwn(own, name);
            const differs = JSON.stringify(own[name]) !== JSON.stringify(other[name]);
            return (
              <p key={name} class={isThere && differs ? `change ${tone}` : 'change'}>
                <span class="soft">{name}</span>{' '}
                {isThere ? <code>{written(own[name])}</code> : <span class="none">–</span>}
              </p>
            );
          })}
        </div>
      ))}
    </div>
  );
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function Values({ value }: { value: object }) {
  return (
    <Facts>
      {Object.entries(value).map(([name, one]) => (
        <Fact key={name} name={name}>
          <code>{written(one)}</code>
        </Fact>
      ))}
    </Facts>
  );
}

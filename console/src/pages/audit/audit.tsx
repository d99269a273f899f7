import { useRef } from 'preact/hooks';
import { api, fetchOk, dataOf } from '../../api.ts';
import { each, useList, useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { filter, place } from '../../router.ts';
import { may } from '../../session.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SearchBox, Select } from '../../ui/fields.tsx';
import { localMinute, localOf, momentOf, zone } from '../../ui/local-time.ts';
import { Header } from '../../ui/page.tsx';
import { readLines, save } from '../../save.ts';
import { ListFoot, Table } from '../../ui/table.tsx';
import { isAbsence } from '../group/resource.ts';
import { nameOfApiToken } from '../group/who.ts';
import { FilterText, SINCE, tokenOptions } from './filters.tsx';
import { Row, type TokenNames } from './row.tsx';
import { actions } from './sentence.ts';
import { Trouble } from '../../ui/trouble.tsx';

type AuditEvent = Schemas['AuditEvent'];

const FILTERS = [
  'search',
  'types',
  'api_token_id',
  'object_type',
  'object_id',
  'request_id',
  'from',
  'to',
] as const;

/** The filters that have no field: a link sets them. */
const HIDDEN = [
  ['request_id', 'Request'],
  ['object_type', 'Object type'],
] as const;

export default function Audit() {
  const { query } = place.value;
  const given = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? '']));
  const asked = { ...given, from: momentOf(given['from']!), to: momentOf(given['to']!) };
  const filters = Object.fromEntries(Object.entries(asked).filter(([, value]) => value));
  const list = useList<AuditEvent>(
    async (cursor, signal) => {
      const beyond = { ...filters, ...(cursor && { cursor }) } as object;
      const response = await dataOf(
        api.GET('/api/v1/audit-events', { params: { query: { limit: 50, ...beyond } }, signal }),
      );
      return { rows: response.audit_events, next: response.next_cursor };
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
    save('audit-events.ndjson', await readLines(response));
  });
  const text = (name: string, label: string, props: object = {}) => (
    <FilterText
      key={name}
      label={label}
      value={given[name]!}
      props={props}
      onChange={(value) => {
        filter({ [name]: value });
      }}
    />
  );
  const names = useApiTokenNames(list.rows);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <Header
        title="Audit log"
        about="Who changed what, when and from where; to whom tokens were shown; which calls were refused."
      >
        <Button busy={exporting.busy} onClick={exporting.run}>
          Export{isFiltered ? ' these' : ''}
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
          {actions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        {names.size === 0 ? (
          text('api_token_id', 'API token', { inputMode: 'numeric', size: 4, placeholder: 'any' })
        ) : (
          <Select
            label="API token"
            value={given['api_token_id']!}
            options={tokenOptions(names, given['api_token_id']!)}
            onChange={(value) => {
              filter({ api_token_id: value });
            }}
          />
        )}
        {text('object_id', 'Object', { size: 14, placeholder: 'any id' })}
        <div class="actions">
          {(['from', 'to'] as const).map((name) => (
            <FilterText
              key={name}
              label={name === 'from' ? 'From' : 'To'}
              value={localOf(asked[name])}
              props={{ type: 'datetime-local' }}
              onChange={(local) => {
                filter({ [name]: momentOf(local) ?? '' });
              }}
            />
          ))}
          <div class="actions presets" role="group" aria-label="Since">
            {SINCE.map(([label, ms]) => (
              <Button
                key={label}
                onClick={() => {
                  filter({
                    from: momentOf(
                      ms === 0
                        ? `${localMinute(Date.now()).slice(0, 10)}T00:00`
                        : localMinute(Date.now() - ms),
                    )!,
                    to: '',
                  });
                }}
              >
                {label}
              </Button>
            ))}
          </div>
        </div>
        {HIDDEN.map(
          ([name, words]) =>
            given[name] !== '' && (
              <Chip
                key={name}
                name={words}
                value={given[name]!}
                onRemove={() => {
                  filter({ [name]: '' });
                }}
              />
            ),
        )}
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
        list={list}
        empty={
          <Empty title={list.more ? 'Nothing found yet' : 'No event matches'}>
            {list.more
              ? 'There is more to search: go on below.'
              : 'Try fewer filters, or a longer time.'}
          </Empty>
        }
        label="Audit events"
        head={[`Time (${zone()})`, 'What happened', ['Object']]}
        bones={10}
      >
        {list.rows.map((event) => (
          <Row key={event.id} event={event} names={names} />
        ))}
      </Table>
      <ListFoot list={list} what="events" />
    </>
  );
}

const NAMED_AT_MOST = 200;

/** Loads the names of API tokens, as far as the session may see them: of the first, and of all that the events name. */
export function useApiTokenNames(events: AuditEvent[]): TokenNames {
  const { data: first } = useLoad(async (signal) => {
    const query = { limit: NAMED_AT_MOST };
    if (!may('admin')) return [];
    return (await dataOf(api.GET('/api/v1/api-tokens', { params: { query }, signal }))).api_tokens;
  }, []);
  const names = new Map(first?.map(({ id, name }) => [id, name]));
  const others = new Set<number>();
  if (first?.length === NAMED_AT_MOST) {
    for (const { actor, object } of events) {
      const named = [actor.api_token_id, object?.type === 'api_token' && Number(object.id)];
      for (const id of named) if (id && !names.has(id)) others.add(id);
    }
  }
  // A longer list names those of before again.
  const found = useRef(new Map<number, string>()).current;
  useLoad(
    (signal) =>
      each(
        [...others].filter((id) => !found.has(id)),
        async (id) => {
          const name = await nameOfApiToken(id, signal).catch((error: unknown) =>
            // A token that was removed has no name any more.
            isAbsence(error) ? '' : undefined,
          );
          if (name !== undefined) found.set(id, name);
        },
      ),
    [[...others].join()],
  );
  for (const [id, name] of found) if (name) names.set(id, name);
  return names;
}

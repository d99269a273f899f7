import { useEffect, useRef, useState } from 'preact/hooks';
import { dataOf, api } from '../../api.ts';
import { writeUserGroup } from '../../curl.ts';
import { useList } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf, goTo, place } from '../../router.ts';
import { has, may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Header } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { ListFoot, Table } from '../../ui/table.tsx';
import { Text, Time } from '../../ui/text.tsx';
import { lastList } from '../group/resource.ts';
import { Bulk } from './bulk.tsx';
import { MappingSummary, SORTED, SortHead, useTotal } from './columns.tsx';
import { Create } from './create.tsx';
import { ExportDialog } from './export.tsx';
import { Filters } from './filters.tsx';
import { withExact } from './find.ts';
import { ImportDialog } from './import.tsx';
import { examinedIn, isSearching, readQuery, toApi, toFilters } from './query.ts';

/** The text of a property; a list leaves secret variables out, and a group may lack it. */
function textOf({ properties }: Schemas['UserGroup'], name: string): string {
  if (!Object.hasOwn(properties, name)) return '–';
  const value = properties[name];
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function List() {
  const { query, unknown } = readQuery();
  const { search, status, sort, property, value } = query;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<'create' | 'import' | 'export' | ''>('');
  /** Whether all that match are to be selected, beyond those that are shown. */
  const [isWhole, setWhole] = useState(false);
  const lastPicked = useRef(-1);
  /** The search whose only result Enter wants to open. */
  const entered = useRef('');
  const first = useRef<{ search: string; group: Schemas['UserGroup'] | undefined }>(undefined);
  const address = addressOf(['groups'], Object.fromEntries(place.value.query));
  useEffect(() => {
    lastList.value = address;
  }, [address]);

  const list = useList<Schemas['UserGroup']>(
    async (cursor, signal) => {
      const call = api.GET('/api/v1/user-groups', {
        params: { query: toApi(query, cursor) },
        signal,
      });
      const { user_groups, next_cursor: next } = await dataOf(call);
      const found = { rows: user_groups, next };
      const examined = isSearching(query) ? { examined: examinedIn(found) } : {};
      if (search === '' || status !== '' || property !== '') return { ...found, ...examined };
      if (cursor === undefined) {
        const { rows } = await withExact(search, found, signal);
        first.current = { search, group: rows[0] };
        return { rows, next, ...examined };
      }
      const top = first.current?.group?.team_id;
      return { rows: user_groups.filter(({ team_id }) => team_id !== top), next, ...examined };
    },
    [search, status, sort, property, value],
    address,
  );
  const [round, setRound] = useState(0);
  const total = useTotal(status, list.fresh, round);
  const reload = () => {
    setRound(round + 1);
    list.reload();
  };
  const openOnly = () => {
    const [group] = list.rows;
    if (
      !group ||
      entered.current === '' ||
      entered.current !== search ||
      first.current?.group !== group
    ) {
      return;
    }
    if (group.provided_id !== search && (list.rows.length > 1 || list.busy || list.more)) return;
    goTo(addressOf(['groups', group.provided_id]));
  };
  useEffect(openOnly, [list.rows, list.busy]);

  useEffect(() => {
    setSelected(new Set());
    lastPicked.current = -1;
  }, [search, status, sort, property, value]);

  const isFiltered = search !== '' || status !== '' || property !== '';
  const writes = may('user-groups:write');
  const hasBulk = has('bulk');
  const picks = writes && has('bulk-jobs');
  const isPicking = selected.size > 0;
  const pick = (index: number, on: boolean, range: boolean) => {
    const from = range && lastPicked.current >= 0 ? lastPicked.current : index;
    lastPicked.current = index;
    const ids = list.rows
      .slice(Math.min(from, index), Math.max(from, index) + 1)
      .map((row) => row.provided_id);
    const next = new Set(selected);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    setSelected(next);
  };
  const selectShown = () => {
    setSelected(new Set(list.rows.map((row) => row.provided_id)));
  };
  const close = () => {
    setOpen('');
  };
  return (
    <>
      <Header title="User groups">
        {hasBulk && (isFiltered || may('admin')) && (
          <Button
            onClick={() => {
              setOpen('export');
            }}
          >
            Export{isFiltered ? ' these' : ''}
          </Button>
        )}
        {writes && (
          <>
            {picks && (
              <Button
                onClick={() => {
                  setOpen('import');
                }}
              >
                Import
              </Button>
            )}
            <Button
              kind="main"
              icon="plus"
              onClick={() => {
                setOpen('create');
              }}
            >
              New user group
            </Button>
          </>
        )}
      </Header>
      <Filters
        {...{ query, unknown }}
        rows={list.rows}
        onEnter={() => {
          entered.current = readQuery().query.search;
          openOnly();
        }}
      >
        {picks && isFiltered && list.more && !isPicking && (
          <Button
            kind="quiet"
            onClick={() => {
              setWhole(true);
              selectShown();
            }}
          >
            Select all that match
          </Button>
        )}
      </Filters>
      <Table
        list={list}
        empty={
          isFiltered ? (
            <Empty
              title={
                list.stop ? 'Searching…' : list.more ? 'Nothing found yet' : 'No user group matches'
              }
            >
              {!list.stop &&
                (list.more ? 'There is more to search: go on below.' : 'Try fewer filters.')}
            </Empty>
          ) : (
            <Empty title="There are no user groups yet" curl={writeUserGroup}>
              The backend of your product creates them with a call. Or make one here, or import a
              file.
            </Empty>
          )
        }
        isLong
        label="User groups"
        head={[
          picks && (
            <th class="select-cell">
              <input
                type="checkbox"
                aria-label="Select all that are shown"
                checked={selected.size > 0 && selected.size === list.rows.length}
                indeterminate={selected.size > 0 && selected.size < list.rows.length}
                onChange={(event) => {
                  setWhole(false);
                  if (event.currentTarget.checked) selectShown();
                  else setSelected(new Set());
                }}
              />
              {isPicking && (
                <Bulk
                  isWhole={isWhole}
                  groups={list.rows.filter((row) => selected.has(row.provided_id))}
                  filters={
                    selected.size === list.rows.length && list.more ? toFilters(query) : undefined
                  }
                  onClear={() => {
                    setSelected(new Set());
                  }}
                  onDone={() => {
                    setSelected(new Set());
                    reload();
                  }}
                />
              )}
            </th>
          ),
          ...SORTED.slice(0, 1).map((column) => (
            <SortHead key={column[0]} column={column} sort={sort} />
          )),
          property !== '' && (
            <th>
              <Text>{property}</Text>
            </th>
          ),
          ['Mapping'],
          'Status',
          ['Ends'],
          ...SORTED.slice(1).map((column) => (
            <SortHead key={column[0]} column={column} sort={sort} />
          )),
        ]}
      >
        {list.rows.map((group, index) => (
          <tr key={group.team_id}>
            {picks && (
              <td class="select-cell">
                <input
                  type="checkbox"
                  aria-label={`Select ${group.name}`}
                  checked={selected.has(group.provided_id)}
                  onClick={(event) => {
                    pick(index, event.currentTarget.checked, event.shiftKey);
                  }}
                />
              </td>
            )}
            <td>
              <a class="row-link" data-row href={addressOf(['groups', group.provided_id])}>
                <Text>{group.name}</Text>
              </a>
              <span class="cell-sub mono">
                <Text>{group.provided_id}</Text>
              </span>
            </td>
            {property !== '' && (
              <td>
                <span class="cell-sub mono">
                  <Text>{textOf(group, property)}</Text>
                </span>
              </td>
            )}
            <td class="roomy">
              <MappingSummary mapping={group.mapping} />
            </td>
            <td>
              <StatusBadge group={group} />
            </td>
            <td class="roomy">
              <Time at={group.valid_until} />
            </td>
            <td class="roomy">
              <Time at={group.created_at} />
            </td>
            <td class="roomy">
              <Time at={group.updated_at} />
            </td>
          </tr>
        ))}
      </Table>
      <ListFoot
        list={list}
        what={
          (isSearching(query) ? list.rows.length : (total ?? list.rows.length)) === 1
            ? 'user group'
            : 'user groups'
        }
        total={total}
      />
      {open === 'create' && <Create onClose={close} />}
      {open === 'import' && <ImportDialog onClose={close} />}
      {open === 'export' && <ExportDialog filters={toFilters(query)} onClose={close} />}
    </>
  );
}

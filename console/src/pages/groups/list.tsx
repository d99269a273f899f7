import { useEffect, useRef, useState } from 'preact/hooks';
import { answerOf, api } from '../../api.ts';
import { writeUserGroup } from '../../curl.ts';
import { useList } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf, filter, place } from '../../router.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SearchBox, Select } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Header } from '../../ui/page.tsx';
import { BoneRows, ListFoot, Table } from '../../ui/table.tsx';
import { Badge, Time } from '../../ui/text.tsx';
import { Bulk } from './bulk.tsx';
import { Create } from './create.tsx';
import { ExportDialog } from './export.tsx';
import { ImportDialog } from './import.tsx';

const SORTED: [column: string, name: string][] = [
  ['name', 'User group'],
  ['created_at', 'Created'],
  ['updated_at', 'Updated'],
];

const STATES: [string, string, Record<string, boolean>][] = [
  ['', 'all', {}],
  ['active', 'not suspended', { suspended: false }],
  ['suspended', 'suspended', { suspended: true }],
  ['unresolvable', 'unresolvable mapping', { resolvable: false }],
];

export function List() {
  const { query } = place.value;
  const [search, status, sort] = ['search', 'status', 'sort'].map((name) => query.get(name) ?? '');
  const [property, value] = ['property', 'value'].map((name) => query.get(name) ?? '');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<'create' | 'import' | 'export' | ''>('');
  const lastPicked = useRef(-1);

  const list = useList<Schemas['UserGroup']>(
    async (cursor, signal) => {
      const filters = Object.entries({
        search,
        sort,
        property_name: property,
        property_value: property && value,
        ...STATES.find(([name]) => name === status)?.[2],
        cursor,
      }).filter(([, text]) => text !== undefined && text !== '');
      const beyond = Object.fromEntries(filters) as object;
      const answer = await answerOf(
        api.GET('/api/v1/user-groups', { params: { query: { limit: 50, ...beyond } }, signal }),
      );
      return { rows: answer.user_groups, next: answer.next_cursor };
    },
    [search, status, sort, property, value],
  );

  useEffect(() => {
    setSelected(new Set());
    lastPicked.current = -1;
  }, [search, status, sort, property, value]);

  const isFiltered = Boolean(search ?? '') || Boolean(status) || Boolean(property);
  const writes = may('user-groups:write');
  const pick = (index: number, on: boolean, range: boolean) => {
    const from = range && lastPicked.current >= 0 ? lastPicked.current : index;
    lastPicked.current = index;
    const ids = list.rows.slice(Math.min(from, index), Math.max(from, index) + 1).map((row) => row.provided_id);
    const next = new Set(selected);
    for (const id of ids)
      if (on) next.add(id);
      else next.delete(id);
    setSelected(next);
  };
  const close = () => {
    setOpen('');
  };
  return (
    <>
      <Header title="User groups">
        {may('admin') && (
          <Button
            onClick={() => {
              setOpen('export');
            }}
          >
            Export
          </Button>
        )}
        {writes && (
          <>
            <Button
              onClick={() => {
                setOpen('import');
              }}
            >
              Import
            </Button>
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
      <div class="filters">
        <SearchBox
          value={search ?? ''}
          label="Search by name, id or property value"
          onChange={(text) => {
            filter({ search: text });
          }}
        />
        <Select
          label="Status"
          value={status ?? ''}
          options={STATES.map(([one, name]) => [one, name])}
          onChange={(one) => {
            filter({ status: one });
          }}
        />
        {property && (
          <Badge tone="accent">
            {property}
            {value && ` = ${value}`}
          </Badge>
        )}
        {isFiltered && (
          <Button
            kind="quiet"
            icon="close"
            onClick={() => {
              filter({ search: '', status: '', property: '', value: '' });
            }}
          >
            Clear filters
          </Button>
        )}
      </div>
      {selected.size > 0 && (
        <Bulk
          groups={list.rows.filter((row) => selected.has(row.provided_id))}
          onClear={() => {
            setSelected(new Set());
          }}
          onDone={() => {
            setSelected(new Set());
            list.reload();
          }}
        />
      )}
      <Table
        label="User groups"
        head={
          <>
            {writes && (
              <th class="select-cell">
                <input
                  type="checkbox"
                  aria-label="Select all that are shown"
                  checked={selected.size > 0 && selected.size === list.rows.length}
                  indeterminate={selected.size > 0 && selected.size < list.rows.length}
                  onChange={(event) => {
                    const on = event.currentTarget.checked;
                    setSelected(new Set(on ? list.rows.map((row) => row.provided_id) : []));
                  }}
                />
              </th>
            )}
            {SORTED.slice(0, 1).map((column) => (
              <SortHead key={column[0]} column={column} sort={sort ?? ''} />
            ))}
            <th class="roomy">Mapping</th>
            <th>Status</th>
            {SORTED.slice(1).map((column) => (
              <SortHead key={column[0]} column={column} sort={sort ?? ''} />
            ))}
          </>
        }
      >
        {list.fresh && <BoneRows columns={writes ? 6 : 5} />}
        {list.rows.map((group, index) => (
          <tr key={group.team_id}>
            {writes && (
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
                {group.name}
              </a>
              <span class="cell-sub mono">{group.provided_id}</span>
            </td>
            <td class="roomy">
              <MappingSummary mapping={group.mapping} />
            </td>
            <td>{group.suspended_at ? <Badge tone="warn">suspended</Badge> : <Badge tone="good">active</Badge>}</td>
            <td class="roomy">
              <Time at={group.created_at} />
            </td>
            <td>
              <Time at={group.updated_at} />
            </td>
          </tr>
        ))}
        {!list.fresh && !list.error && list.rows.length === 0 && (
          <tr>
            <td colSpan={6}>
              {isFiltered ? (
                <Empty title={list.more ? 'None so far' : 'No user group matches'}>
                  {list.more ? 'The list goes on: look further below.' : 'Try fewer filters.'}
                </Empty>
              ) : (
                <Empty title="There are no user groups yet" curl={writeUserGroup}>
                  The backend of your product creates them with a call. Or make one here, or import a file.
                </Empty>
              )}
            </td>
          </tr>
        )}
      </Table>
      <ListFoot list={list} what={list.rows.length === 1 ? 'user group' : 'user groups'} />
      {open === 'create' && <Create onClose={close} />}
      {open === 'import' && <ImportDialog onClose={close} onDone={list.reload} />}
      {open === 'export' && <ExportDialog onClose={close} />}
    </>
  );
}

function SortHead({ column: [column, name], sort }: { column: [string, string]; sort: string }) {
  const by = sort || 'created_at';
  const isOn = by.replace('-', '') === column;
  const isDown = by.startsWith('-');
  const next = isOn && !isDown ? `-${column}` : column;
  return (
    <th
      class={column === 'created_at' ? 'roomy' : ''}
      aria-sort={isOn ? (isDown ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        class="sort"
        onClick={() => {
          filter({ sort: next });
        }}
      >
        {name}
        {isOn && (
          <span class={isDown ? '' : 'up-wards'}>
            <Icon name="down" />
          </span>
        )}
      </button>
    </th>
  );
}

function MappingSummary({ mapping }: { mapping: Schemas['UserGroup']['mapping'] }) {
  const entries = Object.entries(mapping);
  if (entries.length === 0) return <span class="none">none</span>;
  return (
    <span class="cell-sub mono">
      {entries
        .slice(0, 2)
        .map(([schema, source]) => `${schema} → ${source}`)
        .join(', ')}
      {entries.length > 2 && ` +${entries.length - 2}`}
    </span>
  );
}

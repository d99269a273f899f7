import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schemas } from '../../own-types.ts';
import { filter, isLikeToken } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { SearchBox, Select } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { FILTERS, type readQuery, STATES } from './query.ts';

const NO_FILTERS = Object.fromEntries(
  FILTERS.filter((name) => name !== 'sort').map((name) => [name, '']),
);

/** The search and filters of the list, and the parameters of the address that are no filters. */
export function Filters({
  query,
  unknown,
  rows,
  onEnter,
  children,
}: ReturnType<typeof readQuery> & {
  rows: Schemas['UserGroup'][];
  onEnter: () => void;
  children: ComponentChildren;
}) {
  const [isAdding, setAdding] = useState(false);
  const isFiltered = Object.keys(NO_FILTERS).some(
    (name) => query[name as keyof typeof query] !== '',
  );
  return (
    <>
      {unknown.map(({ name, words }) => (
        <p key={name} class="note warn" role="status">
          <Icon name="warning" />
          <span>{words}</span>
        </p>
      ))}
      <div class="filters">
        <SearchBox
          value={query.search}
          label="Search by name, id or property value"
          onChange={(text) => {
            filter({ search: text });
          }}
          onEnter={onEnter}
        />
        <Select
          label="Status"
          value={query.status}
          options={[['', 'All'], ...STATES]}
          onChange={(one) => {
            filter({ status: one });
          }}
        />
        {query.property !== '' && (
          <Chip
            name={query.property}
            value={query.value}
            onRemove={() => {
              filter({ property: '', value: '' });
            }}
          />
        )}
        {query.property === '' && !isAdding && (
          <Button
            kind="quiet"
            icon="plus"
            onClick={() => {
              setAdding(true);
            }}
          >
            Filter
          </Button>
        )}
        {isFiltered && (
          <Button
            kind="quiet"
            icon="close"
            onClick={() => {
              filter(NO_FILTERS);
            }}
          >
            Clear filters
          </Button>
        )}
        {children}
      </div>
      {isAdding && (
        <PropertyFilter
          rows={rows}
          onClose={() => {
            setAdding(false);
          }}
        />
      )}
    </>
  );
}

/** Asks for a property and its value; offers those of the groups that are shown. */
function PropertyFilter({ rows, onClose }: { rows: Schemas['UserGroup'][]; onClose: () => void }) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const names = new Set(rows.flatMap(({ properties }) => Object.keys(properties)));
  const values = new Set(
    rows.map(({ properties }) => properties[name]).filter((one) => typeof one !== 'object'),
  );
  const isWrong = isLikeToken(name) || isLikeToken(value);
  return (
    <form
      class="filters property-filter"
      aria-label="Filter by a property"
      onSubmit={(event) => {
        event.preventDefault();
        filter({ property: name.trim(), value: value.trim() });
        onClose();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <label class="select">
        <span>Property</span>
        <input
          ref={(input) => {
            if (input && name === '') input.focus();
          }}
          required
          list="names"
          autocomplete="off"
          spellcheck={false}
          value={name}
          onInput={(event) => {
            setName(event.currentTarget.value);
          }}
        />
      </label>
      <label class="select">
        <span>is</span>
        <input
          list="values"
          autocomplete="off"
          spellcheck={false}
          placeholder="any value"
          value={value}
          onInput={(event) => {
            setValue(event.currentTarget.value);
          }}
        />
      </label>
      <datalist id="names">
        {[...names].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <datalist id="values">
        {[...values].slice(0, 100).map((one) => (
          <option key={String(one)} value={String(one)} />
        ))}
      </datalist>
      <Button type="submit" kind="main" disabled={name.trim() === '' || isWrong}>
        Apply
      </Button>
      <Button onClick={onClose}>Cancel</Button>
      {isWrong && <p class="wrong">A token is no filter: an address would keep it.</p>}
    </form>
  );
}

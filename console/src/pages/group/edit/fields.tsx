import { useState } from 'preact/hooks';
import { layOut } from '../../../json-text.ts';
import { Button } from '../../../ui/button.tsx';
import { Combobox } from '../../../ui/combobox.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { localOf, momentOf, zone } from '../../../ui/local-time.ts';
import { Badge } from '../../../ui/text.tsx';
import { bodyOf, type Written } from '../resource.ts';
import { isSound, ObjectField, type RowProps, textOf } from './object-field.tsx';
import { type Offer, useWorkspaceRules } from './registry.ts';
import { rowsOf, type ValueType, withDeclared, withType } from './rows.ts';

const TYPES: [ValueType, string][] = [
  ['string', 'text'],
  ['number', 'number'],
  ['boolean', 'yes or no'],
  ['json', 'JSON'],
];

/** The fields of a group and their values; `begin` has the initial ones. */
export function useGroupFields(begin: Written) {
  const [start, setStart] = useState(begin);
  const [name, setName] = useState(begin.name);
  const [mapping, setMapping] = useState<Parameters<typeof textOf>[0]>(() => ({
    rows: rowsOf(begin.mapping),
  }));
  const [properties, setProperties] = useState<typeof mapping>(() => ({
    rows: rowsOf(begin.properties),
  }));
  const [end, setEnd] = useState(localOf(begin.valid_until));
  const rules = useWorkspaceRules();
  const written: Written = {
    name,
    mapping: textOf(mapping),
    properties: textOf(properties),
    // A stored moment can be more precise than its field.
    valid_until: end === localOf(start.valid_until) ? start.valid_until : momentOf(end),
  };
  const flat = (one: Written) =>
    bodyOf({ ...one, mapping: layOut(one.mapping), properties: layOut(one.properties) });
  const fields = (
    <>
      <TextField label="Name" pointer="/name" required value={name} onChange={setName} />
      <ObjectField
        label="Mapping"
        member="mapping"
        hint="Which data source the dashboards query for each schema: by its ID, or by its internal no."
        value={mapping}
        onChange={setMapping}
        mark={(rows) =>
          withDeclared(
            rows,
            (rules?.workspace.required_schemas ?? []).map((name) => ({
              name,
              type: 'string',
              required: true,
            })),
          )
        }
        add="Add an entry"
        what="entry"
      >
        {(props) => <MappingRow {...props} rules={rules} />}
      </ObjectField>
      <ObjectField
        label="Properties"
        member="properties"
        hint="Variables of dashboards and of SQL. A number is sent as you write it."
        value={properties}
        onChange={setProperties}
        mark={(rows) =>
          withDeclared(
            rows,
            (rules?.workspace.variables ?? []).filter(({ source }) => source !== 'token'),
          )
        }
        add="Add a property"
        what="property"
      >
        {(props) => <PropertyRow {...props} />}
      </ObjectField>
      <TextField
        label="Ends"
        hint={`From then on no token of the group works. In ${zone()}. Leave it empty if it does not end.`}
        pointer="/valid_until"
        type="datetime-local"
        step="any"
        value={end}
        onChange={setEnd}
      />
      {end && (
        <Button
          onClick={({ currentTarget }) => {
            setEnd('');
            // The button goes with the end.
            currentTarget.previousElementSibling!.querySelector('input')!.focus();
          }}
        >
          Remove the end
        </Button>
      )}
    </>
  );
  return {
    written,
    fields,
    isSound: isSound(mapping) && isSound(properties),
    isChanged: flat(written) !== flat(start),
    /** Begins with another group, and changes that. */
    reset: (other: Written, changed: Written) => {
      setStart(other);
      setName(changed.name);
      setMapping({ rows: rowsOf(changed.mapping) });
      setProperties({ rows: rowsOf(changed.properties) });
      setEnd(localOf(changed.valid_until));
    },
  };
}

function optionsOf(offer: Offer | undefined) {
  return (offer?.entries ?? []).map(({ provided_id: value, name }) => ({ value, name }));
}

function MappingRow({
  row,
  no,
  change,
  nameTies,
  valueTies,
  rules,
}: RowProps & { rules: ReturnType<typeof useWorkspaceRules> }) {
  const isEnforced = rules?.workspace.mapping_policy === 'registered';
  const offered = (offer: Offer | undefined) =>
    offer?.isWhole
      ? {
          options: optionsOf(offer),
          register: offer.register,
          note: isEnforced
            ? 'Not registered: the workspace takes only what is.'
            : 'Not registered. It can be used as it is.',
        }
      : { options: optionsOf(offer) };
  const isNumber = row.type === 'number';
  return (
    <>
      <Combobox
        {...nameTies}
        aria-label={`Schema ${no}`}
        readOnly={row.required !== undefined}
        value={row.name}
        onChange={(name) => {
          change({ name, isNamed: true });
        }}
        {...offered(rules?.schemas)}
      />
      <span aria-hidden="true" class="soft">
        →
      </span>
      <Combobox
        {...valueTies}
        aria-label={`Data source ${no}`}
        value={row.text}
        onChange={(text) => {
          change({ text, ...(!/^\d+$/.test(text) && { type: 'string' }) });
        }}
        {...(isNumber ? { options: [] } : offered(rules?.sources))}
      />
      {/^\d+$/.test(row.text) && (
        <label class="choice nowrap">
          <input
            type="checkbox"
            checked={isNumber}
            onChange={(event) => {
              change({ type: event.currentTarget.checked ? 'number' : 'string' });
            }}
          />
          internal no.
        </label>
      )}
      {row.required && <Badge>required</Badge>}
    </>
  );
}

function PropertyRow({ row, no, change, nameTies, valueTies }: RowProps) {
  const value = { ...valueTies, 'aria-label': `Value of property ${no}` };
  return (
    <>
      <input
        {...nameTies}
        aria-label={`Property ${no}`}
        class="member"
        placeholder="name"
        spellcheck={false}
        readOnly={row.required !== undefined}
        value={row.name}
        onInput={(event) => {
          change({ name: event.currentTarget.value, isNamed: true });
        }}
      />
      <select
        aria-label={`Type of property ${no}`}
        value={row.type}
        onChange={(event) => {
          change(withType(row, event.currentTarget.value as ValueType));
        }}
      >
        {TYPES.map(([type, title]) => (
          <option key={type} value={type}>
            {title}
          </option>
        ))}
      </select>
      {row.type === 'boolean' ? (
        <select
          {...value}
          class="value"
          value={row.isOffered ? '' : row.text}
          onChange={(event) => {
            change({ text: event.currentTarget.value });
          }}
        >
          {row.isOffered && <option value="">–</option>}
          <option value="true">yes (true)</option>
          <option value="false">no (false)</option>
        </select>
      ) : row.type === 'json' ? (
        <textarea
          {...value}
          rows={Math.min(Math.max(row.text.split('\n').length, 1), 8)}
          spellcheck={false}
          value={row.text}
          onInput={(event) => {
            change({ text: event.currentTarget.value });
          }}
        />
      ) : (
        <input
          {...value}
          class="value"
          placeholder="value"
          inputMode={row.type === 'number' ? 'decimal' : 'text'}
          spellcheck={false}
          value={row.text}
          onInput={(event) => {
            change({ text: event.currentTarget.value });
          }}
        />
      )}
      {row.required && <Badge>required</Badge>}
    </>
  );
}

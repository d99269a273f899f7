import { type ComponentChildren } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { complaintAbout, layOut } from '../../../json-text.ts';
import { Button } from '../../../ui/button.tsx';
import { Lines, Overall } from '../../../ui/fields.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { pointerOf } from '../../../ui/status.tsx';
import { OfForm } from '../../../ui/violations.ts';
import { complaintOf, jsonOf, nameComplaintOf, newRow, type Row, rowsOf } from './rows.ts';

interface Ties {
  'aria-invalid': boolean | undefined;
  'aria-describedby': string | undefined;
}

/** Props of a row of an editor; the ties connect the one of its controls that is wrong to the text of the error. */
export interface RowProps {
  row: Row;
  no: number;
  change: (changes: Partial<Row>) => void;
  nameTies: Ties;
  valueTies: Ties;
}

/** The codes of a mapping entry whose data source is wrong; those of all others regard its schema. */
const OF_SOURCE = ['type', 'required', 'unknown_data_source'];

/** An object as it is edited: in rows, or as JSON text. */
export type Edited = { rows: Row[] } | { json: string };

export function textOf(edited: Edited): string {
  return 'json' in edited ? edited.json : jsonOf(edited.rows);
}

/** Tells whether the object can be sent. */
export function isSound(edited: Edited): boolean {
  if ('json' in edited) return complaintAbout(edited.json) === undefined;
  return edited.rows.every((row) => complaintOf(row, edited.rows) === undefined);
}

/** An editor of a JSON object: rows for plain values, JSON for everything else. */
export function ObjectField({
  label,
  member,
  hint,
  value,
  onChange,
  mark,
  add,
  what,
  children,
}: {
  label: string;
  /** The member of the body that it writes. */
  member: 'mapping' | 'properties';
  hint: string;
  value: Edited;
  onChange: (value: Edited) => void;
  /** Marks the required rows, and adds them. */
  mark: (rows: Row[]) => Row[];
  add: string;
  what: string;
  children: (props: RowProps) => ComponentChildren;
}) {
  const name = useId();
  const list = useRef<HTMLDivElement>(null);
  const [added, setAdded] = useState(0);
  useEffect(() => {
    if (added > 0) {
      [...list.current!.querySelectorAll<HTMLElement>('.object-row')]
        .at(-1)
        ?.querySelector('input')
        ?.focus();
    }
  }, [added]);
  const isJson = 'json' in value;
  const isReadable = !isJson || complaintAbout(value.json) === undefined;
  const rows = isJson ? [] : mark(value.rows);
  const inOrder = [
    ...rows.filter(({ required }) => required),
    ...rows.filter(({ required }) => !required),
  ];
  const mode = (title: string, isOn: boolean, choose: () => void, isPossible = true) => (
    <label>
      <input type="radio" name={name} checked={isOn} disabled={!isPossible} onChange={choose} />
      {title}
    </label>
  );
  return (
    <fieldset class="object">
      <legend class="legend">{label}</legend>
      <div class="segments small">
        {mode(
          'Rows',
          !isJson,
          () => {
            onChange({ rows: rowsOf(textOf(value)) });
          },
          isReadable,
        )}
        {mode('JSON', isJson, () => {
          onChange({ json: layOut(textOf(value)) });
        })}
      </div>
      {isJson ? (
        <Lines
          label={label}
          pointer={`/${member}`}
          error={complaintAbout(value.json)}
          value={value.json}
          onChange={(json) => {
            onChange({ json });
          }}
          rows={Math.min(Math.max(5, value.json.split('\n').length), 18)}
        />
      ) : (
        <div class="rows" ref={list}>
          {inOrder.map((row, index) => (
            <OneRow
              key={row.key}
              complaint={complaintOf(row, rows)}
              isNamedWrong={nameComplaintOf(row, rows) !== undefined}
              pointer={pointerOf(member, row.name)}
              removal={row.required ? undefined : `Remove ${what} ${index + 1}`}
              onRemove={() => {
                onChange({ rows: value.rows.filter(({ key }) => key !== row.key) });
              }}
            >
              {(ties) =>
                children({
                  row,
                  no: index + 1,
                  ...ties,
                  change: (changes) => {
                    onChange({
                      rows: rows.map((one) =>
                        one.key === row.key ? { ...one, isOffered: false, ...changes } : one,
                      ),
                    });
                  },
                })
              }
            </OneRow>
          ))}
          <Overall at={`/${member}`} />
          <Button
            icon="plus"
            onClick={() => {
              onChange({ rows: [...value.rows, newRow()] });
              setAdded((count) => count + 1);
            }}
          >
            {add}
          </Button>
        </div>
      )}
      <p class="hint">{hint}</p>
    </fieldset>
  );
}

function OneRow({
  complaint,
  isNamedWrong,
  pointer,
  removal,
  onRemove,
  children,
}: {
  complaint: string | undefined;
  /** Whether the complaint is about the name. */
  isNamedWrong: boolean;
  pointer: string;
  /** The name of its button; undefined if it has to stay. */
  removal: string | undefined;
  onRemove: () => void;
  children: (ties: Pick<RowProps, 'nameTies' | 'valueTies'>) => ComponentChildren;
}) {
  const id = useId();
  const violations = useContext(OfForm);
  const refused = violations.at(pointer);
  const wrong = complaint ?? refused;
  const code = violations.codeOf(pointer);
  const isOfName = complaint
    ? isNamedWrong
    : code !== undefined && pointer.startsWith('/mapping') && !OF_SOURCE.includes(code);
  const ties = (isWrong: boolean): Ties => ({
    'aria-invalid': (wrong && isWrong) || undefined,
    'aria-describedby': wrong && isWrong ? id : undefined,
  });
  return (
    <div class="object-row">
      <div class="row">
        {children({ nameTies: ties(isOfName), valueTies: ties(!isOfName) })}
        {removal ? (
          <button
            type="button"
            class="copy"
            aria-label={removal}
            title={removal}
            onClick={onRemove}
          >
            <Icon name="close" />
          </button>
        ) : (
          <span class="copy" />
        )}
      </div>
      {wrong && (
        <p class="wrong" id={id}>
          {wrong}
        </p>
      )}
    </div>
  );
}

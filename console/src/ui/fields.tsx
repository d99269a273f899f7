import { type ComponentChildren, type InputHTMLAttributes } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { wayToInspector } from '../inspector.ts';
import { isLikeToken, mayBeToken } from '../router.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { notify } from './notices.tsx';
import { OfForm } from './violations.ts';

/** A label with its control; `children` gets the attributes that tie the two together. */
export function Field({
  label,
  hint,
  error: known,
  pointer,
  parts,
  children,
}: {
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: ComponentChildren;
  /** Its place in the body that the form sends, where the API can find a violation; or the name of a parameter. */
  pointer?: string | undefined;
  /** The texts of the list that it has, by which a violation names its own; true for the place in its JSON. */
  parts?: string[] | boolean | undefined;
  children: (ties: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean | undefined;
  }) => ComponentChildren;
}) {
  const id = useId();
  const refused = useContext(OfForm).at(pointer, true, parts);
  const error = known ?? refused;
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].join(' ').trim();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="wrong" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** Shows a violation of a place that has several fields, or none. */
export function Overall({ at }: { at: string }) {
  const words = useContext(OfForm).at(at, false);
  return words ? <p class="wrong">{words}</p> : null;
}

interface TextFieldProps {
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: ComponentChildren;
  pointer?: string;
  parts?: string[];
  /** Values to choose from; others can be written, too. */
  list?: string[] | undefined;
  value: string;
  onChange: (text: string) => void;
  type?: 'text' | 'url' | 'password' | 'datetime-local' | 'number';
  step?: 'any';
  min?: number;
  max?: number;
  required?: boolean;
  autofocus?: boolean;
  autocomplete?: 'off';
  spellcheck?: boolean;
  placeholder?: string;
}

/** A field of one line. (The attributes of an input are typed for each `type` apart.) */
export function TextField({
  label,
  hint,
  error,
  pointer,
  parts,
  list,
  onChange,
  ...rest
}: TextFieldProps) {
  return (
    <Field {...{ label, hint, error, pointer, parts }}>
      {(ties) => (
        <>
          <input
            {...({ ...rest, ...(list && { list: `${ties.id}-list` }) } as InputHTMLAttributes)}
            {...ties}
            onInput={(event) => {
              onChange(event.currentTarget.value);
            }}
          />
          {list && (
            <datalist id={`${ties.id}-list`}>
              {list.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

interface LinesProps {
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: ComponentChildren;
  pointer?: string;
  parts?: string[] | boolean;
  value: string;
  onChange: (text: string) => void;
  rows?: number;
  class?: string;
  placeholder?: string;
  readOnly?: boolean;
}

/** A field of several lines. */
export function Lines({ label, hint, error, pointer, parts, onChange, ...rest }: LinesProps) {
  return (
    <Field {...{ label, hint, error, pointer, parts }}>
      {(ties) => (
        <textarea
          rows={2}
          spellcheck={false}
          {...rest}
          {...ties}
          onInput={(event) => {
            onChange(event.currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}

/** A checkbox with its words. */
export function Choice({
  isOn,
  onChange,
  children,
  ...rest
}: {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  children: ComponentChildren;
  disabled?: boolean;
}) {
  return (
    <label class="choice">
      <input
        type="checkbox"
        {...rest}
        checked={isOn}
        onChange={(event) => {
          onChange(event.currentTarget.checked);
        }}
      />
      <span>{children}</span>
    </label>
  );
}

/** Tells whether a text may be searched for. A token may not, and the field says so. */
export function isSearchable(text: string): boolean {
  if (!isLikeToken(text)) return true;
  notify(
    'Tokens are not searched for: an address would keep them. Search by id, name or value',
    'warning',
    wayToInspector(text),
  );
  return false;
}

/** A filter that waits until its reader has stopped typing. */
export function SearchBox({
  value,
  label,
  onChange,
  onEnter,
}: {
  value: string;
  label: string;
  onChange: (value: string) => void;
  /** Called when Enter is pressed, after `onChange` with what is written. */
  onEnter?: () => void;
}) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** Ignores its own value when it comes back: the reader may have typed on. */
  const given = useRef(value);
  useEffect(() => {
    if (value === given.current) return;
    clearTimeout(timer.current);
    given.current = value;
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  /** Tells whether a text may be a token, which is searched for only when the reader says so. */
  const isWithheld = (next: string) => mayBeToken(next) && next.trim() !== given.current;
  const give = (next: string) => {
    clearTimeout(timer.current);
    given.current = next.trim();
    onChange(given.current);
  };
  const change = (next: string, wait: number) => {
    setText(next);
    clearTimeout(timer.current);
    if (!isWithheld(next)) timer.current = setTimeout(give, wait, next);
  };
  const way = wayToInspector(text);
  const box = (
    <div class="search" role="search">
      <Icon name="search" />
      <input
        type="search"
        data-search
        aria-label={label}
        placeholder={label}
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={({ currentTarget }) => {
          if (isSearchable(currentTarget.value)) change(currentTarget.value, 250);
          else {
            currentTarget.value = '';
            change('', 0);
          }
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            change('', 0);
            event.currentTarget.blur();
          } else if (event.key === 'Enter' && isWithheld(text)) {
            void way?.run();
          } else if (event.key === 'Enter') {
            if (event.currentTarget.value.trim() !== given.current) give(event.currentTarget.value);
            onEnter?.();
          } else if (event.key === 'ArrowDown') {
            const row = document.querySelector<HTMLElement>('main [data-row]');
            row?.focus();
            if (row) event.preventDefault();
          }
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
  return (
    <>
      {box}
      {isWithheld(text) && (
        <div class="actions" role="status">
          It may be a token.
          {way && <Button onClick={() => void way.run()}>{way.name}</Button>}
          <Button
            onClick={() => {
              give(text);
            }}
          >
            Search for it
          </Button>
        </div>
      )}
    </>
  );
}

export function Select({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: [value: string, name: string][];
  onChange: (value: string) => void;
}) {
  return (
    <label class="select">
      <span>{label}</span>
      <select
        value={value}
        onChange={(event) => {
          onChange(event.currentTarget.value);
        }}
      >
        {options.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

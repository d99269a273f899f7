import { type ComponentChildren, type InputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';

/** A label with its control; `children` gets the attributes that tie the two together. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: string | undefined;
  children: (ties: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean | undefined;
  }) => ComponentChildren;
}) {
  const id = useId();
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].join(' ').trim();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
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

interface TextFieldProps {
  label: ComponentChildren;
  hint?: ComponentChildren;
  value: string;
  onChange: (text: string) => void;
  type?: 'text' | 'url' | 'password' | 'datetime-local';
  required?: boolean;
  autofocus?: boolean;
  autocomplete?: 'off';
  spellcheck?: boolean;
  placeholder?: string;
}

/** A field of one line. (The attributes of an input are typed for each `type` apart.) */
export function TextField({ label, hint, onChange, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(ties) => (
        <input
          {...(rest as InputHTMLAttributes)}
          {...ties}
          onInput={(event) => {
            onChange(event.currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}

/** A filter that waits until its reader has stopped typing. */
export function SearchBox({
  value,
  label,
  onChange,
}: {
  value: string;
  label: string;
  onChange: (value: string) => void;
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
  useEffect(
    () => () => {
      clearTimeout(timer.current);
    },
    [],
  );
  const change = (next: string, wait: number) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      given.current = next.trim();
      onChange(given.current);
    }, wait);
  };
  return (
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
        onInput={(event) => {
          change(event.currentTarget.value, 250);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            change('', 0);
            event.currentTarget.blur();
          }
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
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

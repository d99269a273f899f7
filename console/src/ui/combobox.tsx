import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { notify } from './notices.tsx';
import { Text } from './text.tsx';

const SHOWN_AT_MOST = 50;

/** A field of one line with a list to choose from; other text can be written, too. */
export function Combobox({
  value,
  onChange,
  options,
  register,
  note,
  ...ties
}: {
  value: string;
  onChange: (text: string) => void;
  options: { value: string; name: string }[];
  /** Adds what is written to the list; its entry comes last. */
  register?: ((text: string) => Promise<void>) | undefined;
  /** Is shown for text that is not in the list. */
  note?: string | undefined;
  'aria-label': string;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: boolean | undefined;
  readOnly?: boolean;
}) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const list = useRef<HTMLUListElement>(null);
  const sought = value.trim().toLowerCase();
  const isKnown = options.some((one) => one.value === value);
  const found = options.filter(
    (one) =>
      isKnown ||
      one.value.toLowerCase().includes(sought) ||
      one.name.toLowerCase().includes(sought),
  );
  const shown = found.slice(0, SHOWN_AT_MOST);
  const canRegister = register !== undefined && value !== '' && !isKnown;
  const count = shown.length + (canRegister ? 1 : 0);
  const isShown = isOpen && !ties.readOnly && (count > 0 || (note !== undefined && value !== ''));
  useEffect(() => {
    if (isShown) list.current?.scrollIntoView({ block: 'nearest' });
  }, [isShown]);
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const close = () => {
    setOpen(false);
    setAt(-1);
  };
  const choose = (index: number) => {
    close();
    const option = shown[index];
    if (option) onChange(option.value);
    else {
      register?.(value).catch((error: unknown) => {
        notify((error as Error).message, 'warning');
      });
    }
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && count > 0) {
      setOpen(true);
      setAt((from) => (from + step + count + (from < 0 && step < 0 ? 1 : 0)) % count);
    } else if (event.key === 'Enter' && isShown && at >= 0) choose(at);
    else if (event.key === 'Escape' && isShown) {
      close();
      event.stopPropagation();
    } else return;
    event.preventDefault();
  };
  return (
    <div class="combobox">
      <input
        {...ties}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-activedescendant={isShown && at >= 0 ? `${id}-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => {
          onChange(event.currentTarget.value);
          setOpen(true);
          setAt(-1);
        }}
        onClick={() => {
          setOpen(true);
        }}
        onBlur={close}
        onKeyDown={press}
      />
      {isShown && (
        <ul
          ref={list}
          id={`${id}-list`}
          role="listbox"
          aria-label={`Choices of ${ties['aria-label']}`}
          onMouseDown={(event) => {
            // The field keeps the focus.
            event.preventDefault();
          }}
        >
          {shown.map((one, index) => (
            <li
              key={one.value}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              onClick={() => {
                choose(index);
              }}
            >
              <code>
                <Text>{one.value}</Text>
              </code>{' '}
              {one.name !== one.value && (
                <span class="soft">
                  <Text>{one.name}</Text>
                </span>
              )}
            </li>
          ))}
          {note !== undefined && value !== '' && !isKnown && (
            <li role="option" aria-disabled="true" aria-selected="false" class="soft">
              {note}
            </li>
          )}
          {canRegister && (
            <li
              id={`${id}-${shown.length}`}
              role="option"
              aria-selected={at === shown.length}
              onClick={() => {
                choose(shown.length);
              }}
            >
              Register{' '}
              <code>
                <Text>{value}</Text>
              </code>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

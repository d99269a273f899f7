import { signal } from '@preact/signals';
import {
  type ComponentChildren,
  type InputHTMLAttributes,
  type JSX,
  type TargetedKeyboardEvent,
} from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Refusal } from '../api.ts';
import { addressOf } from '../router.ts';
import { may } from '../session.ts';
import { Icon, type IconName } from './icons.tsx';

type Children = ComponentChildren;

export function Header({
  title,
  about,
  up,
  children,
}: {
  title: Children;
  about?: Children;
  up?: { address: string; name: string };
  children?: Children;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // What had the focus went with the page before.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    document.title = `${heading.current?.firstChild?.textContent ?? ''} · User group service`;
  });
  return (
    <header class="head">
      <div class="head-words">
        {up && (
          <a class="up" href={up.address}>
            <Icon name="left" /> {up.name}
          </a>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {about && <p class="about">{about}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  );
}

type ButtonAttributes = JSX.IntrinsicElements['button'];

interface ButtonProps extends Omit<ButtonAttributes, 'icon'> {
  kind?: 'main' | 'danger' | 'quiet' | undefined;
  icon?: IconName | undefined;
  busy?: boolean | undefined;
}

export function Button({ kind, icon, busy, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${kind ?? ''}`}
      aria-busy={busy}
      disabled={busy === true || disabled === true}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A label with what it labels; `children` gets the attributes that tie the two together. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: Children;
  hint?: Children;
  error?: string | undefined;
  children: (ties: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean | undefined;
  }) => Children;
}) {
  const id = useId();
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

interface TextFieldProps {
  label: Children;
  hint?: Children;
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

/** What went wrong, as the API says it, with the number by which its log can be searched. */
export function Trouble({ error, retry }: { error: unknown; retry?: () => void }) {
  if (error === undefined || error === null) return null;
  const { title, detail, code, status, request_id, errors } =
    error instanceof Refusal
      ? error.problem
      : {
          title: 'The page failed.',
          detail: (error as Error).message,
          code: '',
          request_id: '',
          errors: [],
        };
  return (
    <div class="trouble" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <strong>{title}</strong> {detail !== title && detail !== errors?.[0]?.detail && detail}
        </p>
        {errors && errors.length > 0 && (
          <ul>
            {errors.map((one) => (
              <li key={one.pointer + one.code}>
                <code>{one.pointer || '/'}</code> {one.detail}
              </li>
            ))}
          </ul>
        )}
        <p class="trouble-ids">
          {code && <code>{code}</code>}
          {request_id && (
            <>
              <span>
                request <code>{request_id}</code>
              </span>
              <Copy text={request_id} what="request id" />
            </>
          )}
          {/* Of refused calls the audit log tells. */}
          {status === 403 && request_id && may('audit:read') && (
            <a href={addressOf(['audit'], { request_id })}>in the audit log</a>
          )}
        </p>
        {retry && <Button onClick={retry}>Try again</Button>}
      </div>
    </div>
  );
}

export function Copy({ text, what, label }: { text: string; what: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      notify('The browser does not let this page copy: select it by hand', 'warning');
      return;
    }
    setDone(true);
    setTimeout(() => {
      setDone(false);
    }, 1500);
  };
  return (
    <button
      type="button"
      class={label ? 'button' : 'copy'}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={done ? 'check' : 'copy'} />
      {label && (done ? 'Copied' : label)}
    </button>
  );
}

/** A dotted name such as `user_group.create`, which breaks at its words where it is too long. */
export function Name({ children }: { children: string }) {
  return (
    <code class="name">
      {children.split(/(?<=[._])/).map((word, index) => [index > 0 && <wbr />, word])}
    </code>
  );
}

export function Badge({
  tone,
  children,
  title,
}: {
  tone?: string;
  children: Children;
  title?: string;
}) {
  return (
    <span class={`badge ${tone ?? ''}`} title={title}>
      {children}
    </span>
  );
}

export function Empty({
  title,
  children,
  curl,
}: {
  title: string;
  children?: Children;
  curl?: string | undefined;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="empty-words">{children}</div>}
      {curl && <Curl text={curl} />}
    </div>
  );
}

/** A call to paste into a terminal. */
export function Curl({ text }: { text: string }) {
  return (
    <div class="curl">
      <pre tabIndex={0} role="region" aria-label="Call to paste into a terminal">
        {text}
      </pre>
      <Copy text={text} what="the call" />
    </div>
  );
}

export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class={`bone w${index % 4}`} />
      ))}
    </div>
  );
}

export function Panel({
  title,
  about,
  actions,
  children,
  flush,
}: {
  title?: Children;
  about?: Children;
  actions?: Children;
  children: Children;
  /** Its content reaches its edges, as a table does. */
  flush?: boolean;
}) {
  return (
    <section class="panel">
      {title && (
        <div class="panel-head">
          <div>
            <h2>{title}</h2>
            {about && <p class="about">{about}</p>}
          </div>
          {actions && <div class="actions">{actions}</div>}
        </div>
      )}
      <div class={flush ? 'flush' : 'panel-body'}>{children}</div>
    </section>
  );
}

/** Names with their values, one below the other. */
export function Facts({ children }: { children: Children }) {
  return <dl class="facts">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: Children }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const dateFormat = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});
const timeFormat = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** A moment in the reader's zone; the exact one in UTC is its title. */
export function Time({ at, none = '–' }: { at: string | null | undefined; none?: string }) {
  if (!at) return <span class="none">{none}</span>;
  const moment = new Date(at);
  const isToday = moment.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={`${moment.toISOString().replace('T', ' ').replace('Z', '')} UTC`}>
      {isToday ? 'today' : dateFormat.format(moment)}{' '}
      <span class="clock">{timeFormat.format(moment)}</span>
    </time>
  );
}

/** How long it is until a moment, or has been since, in one unit. */
export function span(at: string, now = Date.now()): string {
  const seconds = Math.abs(Date.parse(at) - now) / 1000;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

export function Dialog({
  title,
  onClose,
  children,
  wide,
}: {
  title: string;
  onClose: () => void;
  children: Children;
  wide?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? 'wide' : ''}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="copy" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}

/** A form in a dialog: sends once at a time, and shows what the API has against it. */
export function DialogForm({
  title,
  submit,
  danger,
  onClose,
  onSubmit,
  children,
  disabled,
  wide,
}: {
  title: string;
  submit: string;
  danger?: boolean;
  onClose: () => void;
  onSubmit: () => Promise<void>;
  children?: Children;
  disabled?: boolean;
  wide?: boolean;
}) {
  const { busy, error, run } = useAction(onSubmit);
  return (
    <Dialog title={title} onClose={onClose} wide={wide ?? false}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        {children}
        <Trouble error={error} />
        <div class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind={danger ? 'danger' : 'main'}
            busy={busy}
            disabled={disabled ?? false}
          >
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Asks before something that cannot be taken back; `typed` must be written out. */
export function Confirm({
  title,
  submit,
  typed,
  what,
  onClose,
  onSubmit,
  children,
}: {
  title: string;
  submit: string;
  typed?: string;
  what?: string;
  onClose: () => void;
  onSubmit: () => Promise<void>;
  children: Children;
}) {
  const [text, setText] = useState('');
  return (
    <DialogForm
      danger
      {...{ title, submit, onClose, onSubmit }}
      disabled={typed !== undefined && text !== typed}
    >
      <div class="words">{children}</div>
      {typed !== undefined && (
        <TextField
          label={
            <>
              Type {what} <code>{typed}</code> to confirm
            </>
          }
          autocomplete="off"
          spellcheck={false}
          value={text}
          onChange={setText}
        />
      )}
    </DialogForm>
  );
}

/** Shows a secret that nobody can read again, until it is put away. */
export function Secret({
  title,
  secret,
  children,
  onClose,
}: {
  title: string;
  secret: string;
  children: Children;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="form">
        <div class="words">{children}</div>
        <div class="secret">
          <code>{secret}</code>
        </div>
        <div class="dialog-foot">
          <Copy text={secret} what="the secret" label="Copy" />
          <Button kind="main" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Runs something once at a time, and keeps what went wrong. */
export function useAction(action: () => Promise<void>): {
  busy: boolean;
  error: unknown;
  run: () => void;
} {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const run = () => {
    if (state.busy) return;
    setState({ busy: true });
    action().then(
      () => {
        setState({ busy: false });
      },
      (error: unknown) => {
        setState({ busy: false, error });
      },
    );
  };
  return { busy: state.busy, error: state.error, run };
}

const notices = signal<{ id: number; text: string; icon: IconName }[]>([]);
let lastNotice = 0;

/** Says in passing that something is done, or is not. */
export function notify(text: string, icon: IconName = 'check'): void {
  lastNotice += 1;
  const id = lastNotice;
  notices.value = [...notices.value, { id, text, icon }];
  setTimeout(() => {
    notices.value = notices.value.filter((one) => one.id !== id);
  }, 4000);
}

export function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, text, icon }) => (
        <p key={id}>
          <Icon name={icon} /> {text}
        </p>
      ))}
    </div>
  );
}

/** A field of filters that waits until its reader has stopped typing. */
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
  /** What comes back as the value is no news: its reader may have typed on. */
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

/** A table whose rows the arrow keys walk; it scrolls by itself where it is too wide. */
export function Table({
  label,
  head,
  children,
}: {
  label: string;
  head: Children;
  children: Children;
}) {
  return (
    <div class="table" role="region" aria-label={label} tabIndex={0} onKeyDown={walk}>
      <table>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function walk(event: TargetedKeyboardEvent<HTMLDivElement>) {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6 };
  const step = steps[event.key];
  if (step === undefined || event.target instanceof HTMLSelectElement) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('tbody [data-row]')];
  if (links.length === 0) return;
  const row = (event.target as HTMLElement).closest('tr')?.querySelector<HTMLElement>('[data-row]');
  const from = row ? links.indexOf(row) : step > 0 ? -1 : links.length;
  links[Math.min(Math.max(from + step, 0), links.length - 1)]?.focus();
  event.preventDefault();
}

export function BoneRows({ columns, rows = 8 }: { columns: number; rows?: number }) {
  return (
    <>
      {Array.from({ length: rows }, (_, row) => (
        <tr key={row} class="bones" aria-hidden="true">
          {Array.from({ length: columns }, (__, column) => (
            <td key={column}>
              <span class={`bone w${(row + column) % 4}`} />
            </td>
          ))}
        </tr>
      ))}
    </>
  );
}

/** What stands below a list: the way on, and what went wrong. */
export function ListFoot({
  list,
  what,
}: {
  list: {
    rows: unknown[];
    busy: boolean;
    fresh: boolean;
    error: unknown;
    more: (() => void) | undefined;
    reload: () => void;
  };
  what: string;
}) {
  return (
    <div class="list-foot" aria-live="polite">
      <Trouble error={list.error} retry={list.reload} />
      {!list.fresh && !list.error && list.rows.length > 0 && (
        <span>
          {list.rows.length} {what}
          {list.more || list.busy ? ' so far' : ''}
        </span>
      )}
      {(list.more ?? (list.busy && !list.fresh)) && (
        <Button busy={list.busy} onClick={list.more}>
          {list.rows.length > 0 ? 'Show more' : 'Look further'}
        </Button>
      )}
    </div>
  );
}

/** The head of a column of buttons. */
export function ToolsHead() {
  return (
    <th class="tools">
      <span class="unseen">What can be done</span>
    </th>
  );
}

/** Tabs as links, so that each has an address. */
export function Tabs({ tabs }: { tabs: { name: string; address: string; on: boolean }[] }) {
  return (
    <nav class="tabs" aria-label="Parts of this page">
      {tabs.map(({ name, address, on }) => (
        <a key={name} href={address} aria-current={on ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** Saves text as a file. */
export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 60000);
}

/** Saves lines of JSON that end in a summary; throws where it is not there, for then they were cut. */
export async function saveLines(name: string, response: Response): Promise<void> {
  const content = await response.blob();
  const end = await content.slice(-4096).text();
  const last = end.trimEnd().split('\n').at(-1) ?? '';
  if (!/^\{"summary":.*"complete":true/.test(last)) {
    throw new Refusal({ title: 'The export was cut.', detail: 'Nothing was saved; try again.' });
  }
  save(name, content);
}

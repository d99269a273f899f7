import { type ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useAction } from './action.ts';
import { Button } from './button.tsx';
import { Copy, CopyCurl } from './copy.tsx';
import { TextField } from './fields.tsx';
import { Icon } from './icons.tsx';
import { Trouble } from './trouble.tsx';
import { OfForm, Violations } from './violations.ts';

/** The first focus of a dialog: the field that is to be filled in, else the button that changes nothing. */
const BEGINS_WITH = [
  '[autofocus]',
  'input:not([type=radio]), textarea, select',
  ':checked',
  '.dialog-foot button:not(.quiet)',
];

export function Dialog({
  title,
  onClose,
  children,
  wide,
}: {
  title: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Runs before painting, so that one dialog can follow another without a flash.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const element = dialog.current!;
    element.showModal();
    const controls = BEGINS_WITH.map((selector) => element.querySelector<HTMLElement>(`:is(${selector}):enabled`));
    controls.find(Boolean)?.focus();
    return () => {
      // An open dialog keeps the focus.
      element.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? 'wide' : ''}
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // A browser does not let the page prevent a second one.
        event.preventDefault();
        onClose();
      }}
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

/** The texts and choices of a form, as one text. */
function contentOf(form: HTMLFormElement): string {
  const controls = [...form.elements].filter((one) => one.matches('input:not([type=radio]), textarea, select'));
  return JSON.stringify(controls.map((one) => [(one as HTMLInputElement).value, (one as HTMLInputElement).checked]));
}

/** A form in a dialog: sends once at a time, shows the errors of the API, and asks before it discards what was written. */
export function DialogForm({
  title,
  submit,
  danger,
  cancel = 'Cancel',
  onClose,
  onSubmit,
  children,
  disabled,
  wide,
  asks = true,
  isChanged,
  explain,
  call,
}: {
  title: ComponentChildren;
  submit: string;
  danger?: boolean;
  cancel?: string;
  onClose: () => void;
  onSubmit: () => Promise<void> | void;
  children?: ComponentChildren;
  disabled?: boolean;
  wide?: boolean;
  /** Whether it asks before it discards. */
  asks?: boolean;
  /** Whether something was written; by default whether its controls differ from what they began with. */
  isChanged?: boolean;
  /** Shows an error in its own words; what it returns nothing for is shown in those of the API. */
  explain?: (error: unknown) => ComponentChildren;
  /** Returns the call of the API that the form makes, to copy. */
  call?: (() => string) | undefined;
}) {
  const { busy, error, run } = useAction(async () => {
    await onSubmit();
  });
  const form = useRef<HTMLFormElement>(null);
  const begin = useRef('');
  const [isAsking, setAsking] = useState(false);
  const violations = useMemo(() => new Violations(error), [error]);
  useEffect(() => {
    if (error) form.current!.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  useLayoutEffect(() => {
    begin.current = contentOf(form.current!);
  }, []);
  const close = () => {
    if (isAsking || !asks || !(isChanged ?? contentOf(form.current!) !== begin.current)) onClose();
    else setAsking(true);
  };
  return (
    <Dialog
      title={title}
      onClose={() => {
        // A second Escape is as hasty as the first.
        if (isAsking) setAsking(false);
        else close();
      }}
      wide={wide ?? false}
    >
      <form
        ref={form}
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isAsking) run();
        }}
      >
        <OfForm.Provider value={violations}>{children}</OfForm.Provider>
        {(error !== undefined && explain?.(error)) || <Rest violations={violations} />}
        {isAsking ? (
          <div class="dialog-foot" role="alert">
            <p>Discard changes?</p>
            <Button
              ref={(button) => button?.focus()}
              onClick={() => {
                setAsking(false);
              }}
            >
              Keep editing
            </Button>
            <Button kind="danger" onClick={onClose}>
              Discard
            </Button>
          </div>
        ) : (
          <div class="dialog-foot">
            {call && <CopyCurl call={call} />}
            <Button onClick={close}>{cancel}</Button>
            <Button type="submit" kind={danger ? 'danger' : 'main'} busy={busy} disabled={disabled ?? false}>
              {submit}
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  );
}

/** Shows the errors that no field of the form shows. */
function Rest({ violations }: { violations: Violations }) {
  const [settled, setSettled] = useState(violations);
  // The fields render after this, and take theirs.
  useEffect(() => {
    setSettled(violations);
  }, [violations]);
  return settled === violations ? <Trouble error={violations.rest()} /> : null;
}

/** Asks before an irreversible action; `typed` must be written out. */
export function Confirm({
  title,
  submit,
  typed,
  what,
  onClose,
  onSubmit,
  children,
  call,
  disabled = false,
  wide = false,
}: {
  title: ComponentChildren;
  submit: string;
  typed?: string;
  what?: string;
  onClose: () => void;
  onSubmit: () => Promise<void>;
  children: ComponentChildren;
  call?: () => string;
  disabled?: boolean;
  wide?: boolean;
}) {
  const [text, setText] = useState('');
  return (
    <DialogForm
      danger
      asks={false}
      {...{ title, submit, onClose, onSubmit, call, wide }}
      disabled={disabled || (typed !== undefined && text !== typed)}
    >
      <div class="words">{children}</div>
      {typed !== undefined && (
        <TextField
          label={
            <>
              Type {what && `${what} `}
              <code>{typed}</code> to confirm
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

/** Shows a secret. The last chance to read it stays open until it is copied, or the person says that it is stored. */
export function Secret({
  title,
  secret,
  isLast,
  children,
  onClose,
}: {
  title: ComponentChildren;
  secret: string;
  isLast?: boolean;
  children: ComponentChildren;
  onClose: () => void;
}) {
  const [isStored, setStored] = useState(!isLast);
  return (
    <Dialog
      title={title}
      onClose={() => {
        if (isStored) onClose();
      }}
    >
      <div class="form">
        <div class="words">{children}</div>
        <div class="secret">
          <code>{secret}</code>
        </div>
        {isLast && (
          <label class="choice">
            <input
              type="checkbox"
              checked={isStored}
              onChange={(event) => {
                setStored(event.currentTarget.checked);
              }}
            />
            I have stored it
          </label>
        )}
        <div class="dialog-foot">
          <Button disabled={!isStored} onClick={onClose}>
            Done
          </Button>
          <Copy
            text={secret}
            what="the secret"
            label="Copy"
            onCopied={() => {
              setStored(true);
            }}
          />
        </div>
      </div>
    </Dialog>
  );
}

import { type ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useHold } from '../hold.ts';
import { useAction } from './action.ts';
import { Button, placeOf } from './button.tsx';
import { CopyCurl, copyText } from './copy.tsx';
import { Choice, TextField } from './fields.tsx';
import { Icon } from './icons.tsx';
import { notify } from './notices.tsx';
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
  isHeld = () => false,
}: {
  title: ComponentChildren;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
  /** Whether leaving the page would lose something: Back then works like Escape, and a reload asks. */
  isHeld?: () => boolean;
}) {
  useHold({ isOn: isHeld, ask: onClose });
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Runs before painting, so that one dialog can follow another without a flash.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement;
    const next = placeOf(before);
    const element = dialog.current!;
    element.showModal();
    const controls = BEGINS_WITH.map((selector) =>
      element.querySelector<HTMLElement>(`:is(${selector}):enabled`),
    );
    controls.find(Boolean)?.focus();
    return () => {
      // An open dialog keeps the focus. Its button may have gone with what it has changed.
      element.close();
      (before.isConnected ? before : next)?.focus({ preventScroll: true });
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
  const controls = [...form.elements].filter((one) =>
    one.matches('input:not([type=radio]), textarea, select'),
  );
  return JSON.stringify(
    controls.map((one) => [(one as HTMLInputElement).value, (one as HTMLInputElement).checked]),
  );
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
  /** Returns words for an error; without them those of the API are shown. */
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
    if (!error) return;
    const first = form.current!.querySelector<HTMLElement>('[aria-invalid=true], .wrong');
    first?.closest('details')?.setAttribute('open', '');
    first?.scrollIntoView({ block: 'center' });
    first?.focus();
  }, [error]);
  useLayoutEffect(() => {
    begin.current = contentOf(form.current!);
  }, []);
  const hasDraft = () => asks && (isChanged ?? contentOf(form.current!) !== begin.current);
  const close = () => {
    if (isAsking || !hasDraft()) onClose();
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
      isHeld={hasDraft}
    >
      <form
        ref={form}
        class="form"
        tabIndex={-1}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isAsking) run();
        }}
      >
        <OfForm.Provider value={violations}>{children}</OfForm.Provider>
        {(error !== undefined && explain?.(error)) || <Rest violations={violations} />}
        {isAsking ? (
          <Question
            words="Discard changes?"
            stay="Keep editing"
            leave="Discard"
            onStay={() => {
              setAsking(false);
            }}
            onLeave={onClose}
          />
        ) : (
          <div class="dialog-foot">
            {call && <CopyCurl call={call} />}
            <Button onClick={close}>{cancel}</Button>
            <Button
              type="submit"
              kind={danger ? 'danger' : 'main'}
              busy={busy}
              disabled={disabled ?? false}
            >
              {submit}
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  );
}

/** The foot of a dialog that asks before it loses something. */
export function Question({
  words,
  stay,
  leave,
  onStay,
  onLeave,
}: Record<'words' | 'stay' | 'leave', string> & Record<'onStay' | 'onLeave', () => void>) {
  const foot = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const dialog = foot.current!.closest('dialog')!;
    const before = document.activeElement as HTMLElement;
    foot.current!.querySelector('button')!.focus();
    return () => {
      // Keys that are pressed outside of the dialog close it unasked.
      (dialog.contains(before) ? before : dialog.querySelector('button')!).focus();
    };
  }, []);
  return (
    <div ref={foot} class="dialog-foot" role="alert">
      <p>{words}</p>
      <Button onClick={onStay}>{stay}</Button>
      <Button kind="danger" onClick={onLeave}>
        {leave}
      </Button>
    </div>
  );
}

/** Shows the errors that no field of the form shows. */
function Rest({ violations }: { violations: Violations }) {
  const [settled, setSettled] = useState(violations);
  // The fields render after this, and take theirs.
  useEffect(() => {
    setSettled(violations);
  }, [violations]);
  const place = useRef<HTMLDivElement>(null);
  const rest = settled === violations ? violations.rest() : undefined;
  useEffect(() => {
    // The first of the marked fields is in sight.
    if (!place.current?.closest('form')!.querySelector('.wrong')) {
      place.current?.scrollIntoView({ block: 'center' });
    }
  }, [settled]);
  return rest === undefined ? null : (
    <div ref={place}>
      <Trouble error={rest} />
    </div>
  );
}

/** The field that asks to write out a word before something dangerous. */
export function Typed({
  word,
  what,
  value,
  onChange,
}: {
  word: string;
  what?: string | undefined;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <TextField
      label={
        <>
          Type {what && `${what} `}
          <code>{word}</code> to confirm
        </>
      }
      autocomplete="off"
      spellcheck={false}
      value={value}
      onChange={onChange}
    />
  );
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
      {typed !== undefined && <Typed word={typed} what={what} value={text} onChange={setText} />}
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
      isHeld={() => !isStored}
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
          <Choice isOn={isStored} onChange={setStored}>
            I have stored it
          </Choice>
        )}
        <div class="dialog-foot">
          <Button disabled={!isStored} onClick={onClose}>
            Done
          </Button>
          <Button
            kind="main"
            icon="copy"
            autofocus
            onClick={() => {
              void copyText(secret).then((isCopied) => {
                if (!isCopied) return;
                notify('Copied');
                onClose();
              });
            }}
          >
            Copy and close
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

import { type ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAction } from './action.ts';
import { Button } from './button.tsx';
import { Copy } from './copy.tsx';
import { TextField } from './fields.tsx';
import { Icon } from './icons.tsx';
import { Trouble } from './trouble.tsx';

export function Dialog({
  title,
  onClose,
  children,
  wide,
}: {
  title: string;
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

/** A form in a dialog: sends once at a time, and shows the errors of the API. */
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
}: {
  title: string;
  submit: string;
  danger?: boolean;
  cancel?: string;
  onClose: () => void;
  onSubmit: () => Promise<void> | void;
  children?: ComponentChildren;
  disabled?: boolean;
  wide?: boolean;
}) {
  const { busy, error, run } = useAction(async () => {
    await onSubmit();
  });
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
          <Button onClick={onClose}>{cancel}</Button>
          <Button type="submit" kind={danger ? 'danger' : 'main'} busy={busy} disabled={disabled ?? false}>
            {submit}
          </Button>
        </div>
      </form>
    </Dialog>
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
}: {
  title: string;
  submit: string;
  typed?: string;
  what?: string;
  onClose: () => void;
  onSubmit: () => Promise<void>;
  children: ComponentChildren;
}) {
  const [text, setText] = useState('');
  return (
    <DialogForm danger {...{ title, submit, onClose, onSubmit }} disabled={typed !== undefined && text !== typed}>
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

/** Shows a secret, which nobody can read again once it is closed. */
export function Secret({
  title,
  secret,
  children,
  onClose,
}: {
  title: string;
  secret: string;
  children: ComponentChildren;
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

import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { notify } from './notices.tsx';

/** Writes to the clipboard; tells the reader if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    notify('The browser does not let this page copy: select it by hand', 'warning');
    return false;
  }
}

export function Copy({ text, what }: { text: string; what: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    if (!(await copyText(text))) return;
    setDone(true);
    setTimeout(() => {
      setDone(false);
    }, 1500);
  };
  return (
    <>
      <button
        type="button"
        class="copy"
        aria-label={done ? 'Copied' : `Copy ${what}`}
        title={`Copy ${what}`}
        onClick={() => void copy()}
      >
        <Icon name={done ? 'check' : 'copy'} />
      </button>
      {/* Within the button a screen reader would not read it. */}
      <span class="unseen" role="status">
        {done && 'Copied'}
      </span>
    </>
  );
}

/** Copies the call that the page would make, with `$TOKEN` in place of a secret. */
export function CopyCurl({ call }: { call: () => string }) {
  const copy = async () => {
    if (await copyText(call())) notify('The call is copied: set TOKEN to your API token');
  };
  return (
    <Button kind="quiet" icon="code" onClick={() => void copy()}>
      Copy as curl
    </Button>
  );
}

/** A text to paste, such as a call into a terminal. */
export function Curl({
  text,
  label = 'Call to paste into a terminal',
  what = 'the call',
}: {
  text: string;
  label?: string;
  what?: string;
}) {
  return (
    <div class="curl">
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <Copy text={text} what={what} />
    </div>
  );
}

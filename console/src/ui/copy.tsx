import { useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { notify } from './notices.tsx';

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

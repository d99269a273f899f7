import { useEffect, useRef, useState } from 'preact/hooks';
import { dataOf, api } from '../../api.ts';
import { handedOver, takeOver } from '../../inspector.ts';
import type { Schemas } from '../../own-types.ts';
import { cutToken } from '../../router.ts';
import { isAway } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Header, Panel } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/empty.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Report } from './report.tsx';

interface State {
  busy: boolean;
  error?: unknown;
  inspection?: Schemas['Inspection'];
  /** Explains the same token again. */
  again?: () => void;
}

/** Explains a token. The text is in the body of one request and in the memory of this page, and nowhere else. */
export default function InspectPage() {
  const [text, setText] = useState('');
  const [state, setState] = useState<State>({ busy: false });
  const last = useRef<AbortController>(undefined);
  /** Explains the token in a text, such as an address or a header, and leaves the token alone in the field. */
  const run = (pasted: string) => {
    const given = cutToken(pasted);
    setText(given);
    last.current?.abort();
    const { signal } = (last.current = new AbortController());
    setState({ busy: true });
    dataOf(api.POST('/api/v1/tokens/inspect', { body: { token: given }, signal })).then(
      ({ inspection }) => {
        if (signal.aborted) return;
        setState({
          busy: false,
          inspection,
          again: () => {
            run(given);
          },
        });
      },
      (error: unknown) => {
        if (!signal.aborted) setState({ busy: false, error });
      },
    );
  };
  useEffect(() => {
    const given = takeOver();
    if (given === '') return;
    run(given);
  }, [handedOver.value]);
  useEffect(() => {
    // A token that is pasted anywhere on the page is meant for its field.
    const paste = (event: ClipboardEvent) => {
      if (isAway.value) return;
      const given = event.clipboardData?.getData('text').trim() ?? '';
      if (
        given === '' ||
        (event.target instanceof HTMLElement && event.target.matches('input, textarea'))
      ) {
        return;
      }
      run(given);
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, []);
  const wanted = text.trim();
  return (
    <>
      <Header
        title="Inspect a token"
        about="Why a dashboard is blank: whether a token is accepted now, and each check that decides it."
      />
      <Panel>
        <form
          class="paste"
          onSubmit={(event) => {
            event.preventDefault();
            if (wanted !== '' && !state.busy) run(wanted);
          }}
        >
          <TextField
            label="Token"
            hint="A user-group token (ugt_…), an embed token (eyJ…), or an API token (uga_…). It gets into no URL, and not into the audit log."
            autocomplete="off"
            spellcheck={false}
            value={text}
            onChange={setText}
          />
          <Button
            type="submit"
            kind="main"
            icon="inspect"
            busy={state.busy}
            disabled={wanted === ''}
          >
            Inspect
          </Button>
        </form>
      </Panel>
      <div aria-live="polite">
        <Trouble error={state.error} />
        {state.busy && <Skeleton lines={5} />}
        {state.inspection && <Report inspection={state.inspection} again={state.again!} />}
      </div>
    </>
  );
}

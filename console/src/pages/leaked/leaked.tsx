import { useState } from 'preact/hooks';
import { hold } from '../../hold.ts';
import { takeOver } from '../../inspector.ts';
import { ofPage } from '../../of-page.ts';
import { addressOf, tokensIn } from '../../router.ts';
import { save } from '../../save.ts';
import { may } from '../../session.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Choice, Lines, TextField } from '../../ui/fields.tsx';
import { Header, Panel } from '../../ui/page.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { EndAll } from './end-all.tsx';
import { AT_ONCE, counted, Look, reportOn, type Result, Results, RESULTS } from './results.tsx';

const isInactive = (one?: Result) => one?.result === 'ended' || one?.result === 'already_inactive';

/** The report on each token, which stays until its person leaves the console. */
const reported = ofPage<ReadonlyMap<string, Result>>(new Map());
const isUnsaved = ofPage(false);

hold({ isOn: () => isUnsaved.value });

/** Ends tokens that others may have. They are in the bodies of requests and in the memory of this page, and nowhere else. */
export default function Leaked() {
  const [text, setText] = useState(takeOver);
  const [source, setSource] = useState('');
  /** Whether also what may be a token of another system is ended. */
  const [isWide, setWide] = useState(false);
  const results = reported.value;
  const [asked, setAsked] = useState<'these' | 'all'>();
  const { own, others } = tokensIn(text);
  const found = isWide ? [...own, ...others] : own;
  // A report can be repeated: the last token with the scope admin is no longer the last once there is another.
  const left = found.filter((token) => !isInactive(results.get(token)));
  const { busy, error, run } = useAction(async () => {
    const all = new Map(results);
    isUnsaved.value = true;
    for (let from = 0; from < left.length; from += AT_ONCE) {
      const tokens = left.slice(from, from + AT_ONCE);
      for (const one of await reportOn(tokens, source ? { source } : {})) all.set(...one);
      reported.value = new Map(all);
    }
    setText('');
  });
  const close = () => {
    setAsked(undefined);
  };
  const isOfGroups = left.length - left.filter((token) => token.startsWith('uga_')).length;
  return (
    <>
      <Header
        title="Leaked tokens"
        about="Ends the tokens that others may have. All other tokens stay valid."
      />
      <Panel title="Known tokens" about="Ends exactly those in a text.">
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy) setAsked('these');
          }}
        >
          <Lines
            label="Tokens"
            hint="Paste tokens, or a text with them, such as a log. Only text that may be a token is sent, never in a URL. The audit log names the groups."
            rows={6}
            value={text}
            readOnly={busy}
            onChange={setText}
          />
          <TextField
            label="Where they were found"
            hint="For the audit log. May be empty."
            pointer="/source"
            value={source}
            onChange={setSource}
          />
          {others.length > 0 && (
            <Choice isOn={isWide} onChange={setWide}>
              End also {counted(others.length, 'line')} that may be{' '}
              {others.length === 1 ? 'a token' : 'tokens'} of another system
            </Choice>
          )}
          <div class="actions">
            <Button
              type="submit"
              kind="danger"
              icon="warning"
              busy={busy}
              disabled={left.length === 0}
            >
              End {left.length > 0 ? counted(left.length) : 'tokens'}
            </Button>
            {text.trim() !== '' && own.length + others.length === 0 && (
              <span class="soft">No token in this text.</span>
            )}
          </div>
          <Trouble error={error} />
        </form>
      </Panel>
      <div aria-live="polite">{results.size > 0 && <Report results={[...results.values()]} />}</div>
      <Panel
        title="Only suspected"
        about="Select user groups, and rotate their tokens with an overlap: no dashboard goes blank."
        actions={
          <>
            <a class="button" href={addressOf(['groups'], { status: 'no_valid_token' })}>
              Without a valid token
            </a>
            <a class="button" href={addressOf(['groups'])}>
              Select user groups
            </a>
          </>
        }
      />
      {may('admin') && (
        <Panel
          title="All tokens of the workspace"
          about="If nobody knows which: ends every token that was issued before a time that you choose."
          actions={
            <Button
              kind="danger"
              onClick={() => {
                setAsked('all');
              }}
            >
              End all…
            </Button>
          }
        />
      )}
      {asked === 'these' && (
        <Confirm
          wide
          title={`End ${counted(left.length)}`}
          submit={`End ${counted(left.length)}`}
          typed={String(left.length)}
          onClose={close}
          onSubmit={() => {
            close();
            run();
            return Promise.resolve();
          }}
        >
          <p>
            {isOfGroups > 0 &&
              'Each group gets another token. Its dashboards are blank until your backend asks for it, with its next call of /api/user. '}
            {isOfGroups < left.length &&
              `Callers with the ${counted(left.length - isOfGroups, 'API token')} are refused. `}
          </p>
          <Look tokens={left} />
        </Confirm>
      )}
      {asked === 'all' && <EndAll onClose={close} />}
    </>
  );
}

function Report({ results }: { results: Result[] }) {
  const counts = Object.entries(RESULTS).flatMap(([result, [words]]) => {
    const count = results.filter((one) => one.result === result).length;
    return count > 0 ? [`${count.toLocaleString()} ${words}`] : [];
  });
  return (
    <Panel
      title="Result"
      about={counts.join(', ')}
      actions={
        <Button
          onClick={() => {
            isUnsaved.value = false;
            save(
              'leaked-tokens.ndjson',
              new Blob(results.map((one) => `${JSON.stringify(one)}\n`)),
            );
          }}
        >
          Save the report
        </Button>
      }
      flush
    >
      <Results results={results} />
    </Panel>
  );
}

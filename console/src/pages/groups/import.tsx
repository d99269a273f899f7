import { useEffect, useRef, useState } from 'preact/hooks';
import { may } from '../../session.ts';
import { save } from '../../save.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, Question } from '../../ui/dialog.tsx';
import { Field } from '../../ui/fields.tsx';
import { notify } from '../../ui/notices.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { type Check, check, importInJob } from './import-run.ts';
import { type Refused, type Source, sourceOf, textsOf, withDraft } from './import-source.ts';
import { RefusedLines, SHOWN } from './refused-lines.tsx';

/** Returns the text in which refused lines are corrected. */
async function draftOf(source: Source, refused: readonly Refused[]): Promise<string> {
  return (await textsOf(source, refused.slice(0, SHOWN))).join('\n');
}

const TEMPLATE =
  'provided_id,name,mapping.sales,properties.region\nacme-emea,Acme EMEA,warehouse-emea,EMEA\n';

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [source, setSource] = useState<Source>();
  const [checked, setChecked] = useState<Check>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState<'checks' | 'sends'>();
  /** The refused lines as they are corrected. */
  const [draft, setDraft] = useState('');
  const [isAsking, setAsking] = useState(false);
  const begun = useRef('');
  const ending = useRef<AbortController>(null);
  // The next session may be of another workspace.
  useEffect(() => () => ending.current?.abort(), []);

  const choose = async (file: File | undefined) => {
    setChecked(undefined);
    setDraft((begun.current = ''));
    setError(undefined);
    ending.current?.abort();
    setBusy(undefined);
    try {
      const chosen = file && (await sourceOf(file));
      setSource(chosen);
      if (chosen) void take('checks', chosen);
    } catch (reason) {
      setSource(undefined);
      setError(reason);
    }
  };
  const isCorrected = draft !== begun.current;
  const refused = checked?.refused ?? [];
  /** Takes the file, with the lines that were corrected after its check. */
  const take = async (step: 'checks' | 'sends', from = source) => {
    if (!from) return;
    ending.current?.abort();
    const { signal } = (ending.current = new AbortController());
    setBusy(step);
    setError(undefined);
    try {
      const drafted = new Set(refused.slice(0, SHOWN).map(({ line }) => line));
      const whole = isCorrected ? await withDraft(from, (line) => !drafted.has(line), draft) : from;
      if (step === 'sends') {
        await importInJob(whole, signal);
        onClose();
        return;
      }
      const found = await check(whole, signal);
      if (signal.aborted) return;
      setChecked(found);
      setSource(whole);
      setDraft((begun.current = await draftOf(whole, found.refused)));
    } catch (reason) {
      if (signal.aborted) return;
      setError(reason);
    }
    setBusy(undefined);
  };
  const isHeld = () => busy === 'sends' || isCorrected;
  const close = () => {
    if (isHeld()) setAsking(!isAsking);
    else onClose();
  };
  const number = (count: number) => count.toLocaleString();
  return (
    <Dialog wide title="Import user groups" onClose={close} isHeld={isHeld}>
      <div class="form">
        <Field
          label="File"
          hint={
            <>
              A line of JSON for each group (NDJSON):{' '}
              <code>{'{"provided_id": "acme", "name": "Acme"}'}</code>, or a CSV file with columns
              such as <code>provided_id</code>, <code>name</code>, <code>mapping.sales</code>,{' '}
              <code>properties.region</code>.
              {!may('tokens:rotate') && ' Lines with a token need the scope tokens:rotate.'}
            </>
          }
        >
          {(ties) => (
            <input
              {...ties}
              type="file"
              accept=".ndjson,.jsonl,.json,.csv,.tsv,.txt"
              disabled={busy === 'sends'}
              onChange={(event) => void choose(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
        {source?.isLegacy && (
          <p class="note warn" role="status">
            The file is not UTF-8: it is read as Windows-1252. Look at letters with accents after
            the import.
          </p>
        )}
        {(busy ?? checked) && (
          <div aria-live="polite">
            {busy && (
              <>
                <progress aria-label="Progress" />
                <Waiting at={0} />
              </>
            )}
            {checked && (
              <>
                <p>
                  {number(checked.summary.created)} would be created,{' '}
                  {number(checked.summary.updated)} would be changed,{' '}
                  {number(checked.summary.unchanged)} unchanged, {number(checked.summary.failed)}{' '}
                  refused
                  {checked.summary.tokens_replaced > 0 &&
                    `, ${number(checked.summary.tokens_replaced)} tokens replaced`}
                </p>
                <p>Nothing is stored yet.</p>
              </>
            )}
          </div>
        )}
        <Trouble error={error} />
        {source && !busy && (refused.length > 0 || draft !== '') && (
          <RefusedLines
            {...{ source, refused, count: refused.length, text: draft, onText: setDraft }}
            readAll={() => Promise.resolve(refused)}
          />
        )}
        {isAsking && isHeld() ? (
          <Question
            words={busy ? 'It still runs. Stop it?' : 'Discard the corrections?'}
            stay="Go on"
            leave={busy ? 'Stop' : 'Discard'}
            onStay={() => {
              setAsking(false);
            }}
            onLeave={() => {
              if (busy === 'sends') notify('Stopped, unless all had arrived', 'warning');
              onClose();
            }}
          />
        ) : (
          <div class="dialog-foot">
            {!checked && (
              <Button
                kind="quiet"
                onClick={() => {
                  save('user-groups.csv', new Blob([TEMPLATE]));
                }}
              >
                Save a template
              </Button>
            )}
            <Button onClick={close}>Cancel</Button>
            <Button disabled={!source || busy !== undefined} onClick={() => void take('checks')}>
              Check
            </Button>
            <Button
              kind="main"
              busy={busy === 'sends'}
              disabled={!source}
              onClick={() => void take('sends')}
            >
              {isCorrected ? 'Import all lines' : 'Import'}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

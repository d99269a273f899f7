import { useEffect, useRef, useState } from 'preact/hooks';
import { may } from '../../session.ts';
import { save } from '../../save.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, Question } from '../../ui/dialog.tsx';
import { Field } from '../../ui/fields.tsx';
import { notify } from '../../ui/notices.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { decoded, toImportLines } from './csv.ts';
import { importFile, type Progress, unreadable } from './import-run.ts';
import { corrected, RefusedLines, toDraft } from './refused-lines.tsx';

const TEMPLATE =
  'provided_id,name,mapping.sales,properties.region\nacme-emea,Acme EMEA,warehouse-emea,EMEA\n';

interface Source {
  lines: Blob;
  /** The number of lines that the file has before these. */
  head: number;
  /** Whether it is not written in UTF-8. */
  isLegacy?: boolean;
}

async function linesIn(file: File): Promise<Source> {
  const begin = await file.slice(0, 99).text();
  if (!/\.(csv|tsv|txt)$/i.test(file.name) || /^\s*\{/.test(begin)) return { lines: file, head: 0 };
  try {
    const { text, isLegacy } = await decoded(file);
    return { lines: new Blob([toImportLines(text)]), head: 1, isLegacy };
  } catch (error) {
    throw unreadable(error);
  }
}

export function ImportDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [source, setSource] = useState<Source>();
  const [step, setStep] = useState<'choose' | 'checked' | 'imported'>('choose');
  const [progress, setProgress] = useState<Progress>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  /** The refused lines as they are corrected. */
  const [draft, setDraft] = useState('');
  const [isAsking, setAsking] = useState(false);
  const begun = useRef('');
  const ending = useRef<AbortController>(null);
  // The next session may be of another workspace.
  useEffect(() => () => ending.current?.abort(), []);

  const run = async (file: Blob, isDry: boolean) => {
    const { signal } = (ending.current = new AbortController());
    let last: Progress | undefined;
    setBusy(true);
    setError(undefined);
    try {
      await importFile(file, {
        isDry,
        signal,
        show: (progress) => {
          last = progress;
          setProgress(progress);
        },
      });
      setStep(isDry ? 'checked' : 'imported');
      begun.current = toDraft(last?.refused ?? []);
      setDraft(begun.current);
    } catch (reason) {
      if (!signal.aborted) setError(reason);
    }
    setBusy(false);
    if (!isDry) onDone();
  };
  const choose = async (file: File | undefined) => {
    setProgress(undefined);
    setStep('choose');
    setError(undefined);
    try {
      setSource(file && (await linesIn(file)));
    } catch (reason) {
      setSource(undefined);
      setError(reason);
    }
  };
  const isCorrected = step === 'checked' && draft !== begun.current;
  /** Takes the file, with the lines that were corrected after its check. */
  const take = async (isDry: boolean) => {
    if (!source) return;
    if (!isCorrected) return run(source.lines, isDry);
    const whole = await corrected(source.lines, progress?.refused ?? [], draft);
    setSource({ lines: whole, head: 0 });
    begun.current = '';
    setDraft('');
    return run(whole, isDry);
  };
  const isHeld = () => busy || draft !== begun.current;
  const close = () => {
    if (isHeld()) setAsking(!isAsking);
    else onClose();
  };
  const [would, words] =
    step === 'imported' ? ['', ['created', 'updated']] : ['would be ', ['created', 'changed']];
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
              <code>properties.region</code>. You can import the same file twice.
              {!may('tokens:rotate') && ' Lines with a token need the scope tokens:rotate.'}
            </>
          }
        >
          {(ties) => (
            <input
              {...ties}
              type="file"
              accept=".ndjson,.jsonl,.json,.csv,.tsv,.txt"
              disabled={busy}
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
        {progress && source && (
          <div aria-live="polite">
            {busy && (
              <progress
                {...(progress.lines > 0 && { max: source.lines.size, value: progress.sent })}
                aria-label="Read"
              />
            )}
            <p>
              {number(progress.created)} {would}
              {words[0]}, {number(progress.updated)} {would}
              {words[1]}, {number(progress.unchanged)} unchanged, {number(progress.failed)} refused
              {progress.tokens_replaced > 0 &&
                `, ${number(progress.tokens_replaced)} tokens replaced`}
            </p>
            {busy && <Waiting at={progress.at} />}
            {step === 'checked' && !busy && <p>Nothing is stored yet.</p>}
          </div>
        )}
        <Trouble error={error} />
        {progress && !busy && (progress.refused.length > 0 || draft !== '') && (
          <RefusedLines
            refused={progress.refused}
            head={source?.head ?? 0}
            text={draft}
            onText={setDraft}
            onImport={
              step === 'imported'
                ? () => {
                    const lines = new Blob([draft]);
                    setSource({ lines, head: 0 });
                    void run(lines, false);
                  }
                : undefined
            }
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
              if (busy && progress) {
                notify(`Stopped after ${number(progress.lines)} lines`, 'warning');
              }
              onClose();
            }}
          />
        ) : (
          <div class="dialog-foot">
            {!progress && (
              <Button
                kind="quiet"
                onClick={() => {
                  save('user-groups.csv', new Blob([TEMPLATE]));
                }}
              >
                Save a template
              </Button>
            )}
            <Button kind={step === 'imported' ? 'main' : undefined} onClick={close}>
              {step === 'imported' ? 'Done' : 'Cancel'}
            </Button>
            {step !== 'imported' && (
              <>
                <Button disabled={!source || busy} onClick={() => void take(true)}>
                  Check
                </Button>
                <Button kind="main" busy={busy} disabled={!source} onClick={() => void take(false)}>
                  {isCorrected ? 'Import all lines' : 'Import'}
                </Button>
              </>
            )}
          </div>
        )}
      </div>
    </Dialog>
  );
}

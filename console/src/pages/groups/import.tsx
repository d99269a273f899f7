import { useRef, useState } from 'preact/hooks';
import { fetchOk, Refusal } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { may } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/fields.tsx';
import { save } from '../../save.ts';
import { Trouble } from '../../ui/trouble.tsx';

type Refused = Schemas['RefusedLine'];

const PIECE = 512 * 1024;

const SHOWN = 200;

interface Progress {
  sent: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  /** The groups whose earlier token has ended. */
  replaced: number;
  refused: Refused[];
}

/** The end of the last whole line of a piece; for a line longer than a piece, its end. */
async function endOfLines(file: File, from: number): Promise<number> {
  for (let size = PIECE; ; size *= 2) {
    if (from + size >= file.size) return file.size;
    const bytes = new Uint8Array(await file.slice(from, from + size).arrayBuffer());
    const end = bytes.lastIndexOf(10);
    if (end >= 0) return from + end + 1;
  }
}

export function ImportDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [file, setFile] = useState<File>();
  const [progress, setProgress] = useState<Progress>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const ending = useRef<AbortController>(null);

  const run = async (chosen: File) => {
    const { signal } = (ending.current = new AbortController());
    setBusy(true);
    setError(undefined);
    let done: Progress = { sent: 0, created: 0, updated: 0, unchanged: 0, failed: 0, replaced: 0, refused: [] };
    let lines = 0;
    setProgress(done);
    try {
      while (done.sent < chosen.size) {
        const end = await endOfLines(chosen, done.sent);
        const piece = chosen.slice(done.sent, end);
        const response = await fetchOk('api/v1/user-groups/import?results=failed', {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-ndjson' },
          body: piece,
          signal,
        });
        const answers = (await response.text())
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Refused | Schemas['ImportedLine'] | Schemas['ImportSummary']);
        const last = answers.at(-1);
        if (!last || !('summary' in last)) throw new Error('The answer was cut; import again.');
        const { summary } = last;
        const before = lines;
        const refused = answers
          .filter((one): one is Refused => 'code' in one)
          .map((one) => ({ ...one, line: one.line + before }));
        done = {
          sent: end,
          created: done.created + summary.created,
          updated: done.updated + summary.updated,
          unchanged: done.unchanged + summary.unchanged,
          failed: done.failed + summary.failed,
          replaced: done.replaced + summary.tokens_replaced,
          refused: [...done.refused, ...refused],
        };
        const text = await piece.text();
        lines += text.split('\n').length - 1;
        setProgress(done);
        if (!summary.complete) {
          const { code = '', detail = '' } = summary;
          const request_id = response.headers.get('X-Request-Id') ?? '';
          throw new Refusal({ title: 'The import stopped early.', detail, code, request_id });
        }
      }
    } catch (reason) {
      if (!signal.aborted) setError(reason);
    }
    setBusy(false);
    onDone();
  };

  const refused = progress?.refused ?? [];
  return (
    <Dialog
      wide
      title="Import user groups"
      onClose={() => {
        ending.current?.abort();
        onClose();
      }}
    >
      <div class="form">
        <Field
          label="File"
          hint={
            <>
              A line of JSON for each group (NDJSON): <code>{'{"user_group_id": "acme", "name": "Acme"}'}</code>. It can
              be repeated as it is.
              {!may('tokens:rotate') && ' Lines with a token need the scope tokens:rotate.'}
            </>
          }
        >
          {(ties) => (
            <input
              {...ties}
              type="file"
              accept=".ndjson,.jsonl,application/x-ndjson"
              disabled={busy}
              onChange={(event) => {
                setFile(event.currentTarget.files?.[0]);
                setProgress(undefined);
              }}
            />
          )}
        </Field>
        {progress && file && (
          <div aria-live="polite">
            <progress max={file.size} value={progress.sent} aria-label="Imported" />
            <p>
              {progress.created} created, {progress.updated} updated, {progress.unchanged} unchanged, {progress.failed}{' '}
              refused
              {progress.replaced > 0 && `, ${progress.replaced} tokens replaced`}
            </p>
          </div>
        )}
        <Trouble error={error} />
        {refused.length > 0 && (
          <>
            <div class="json report" role="region" aria-label="Refused lines" tabIndex={0}>
              {refused.slice(0, SHOWN).map((one) => (
                <p key={one.line}>
                  Line {one.line} {one.provided_id && <code>{one.provided_id}</code>}
                  {(one.errors ?? [{ pointer: '', detail: one.detail }]).map((each) => (
                    <span key={each.pointer} class="cell-sub">
                      <code>{each.pointer}</code> {each.detail}
                    </span>
                  ))}
                </p>
              ))}
              {refused.length > SHOWN && <p>And {refused.length - SHOWN} more, in the report.</p>}
            </div>
            <Button
              onClick={() => {
                const report = refused.map((one) => JSON.stringify(one)).join('\n');
                save('refused-lines.ndjson', new Blob([`${report}\n`]));
              }}
            >
              Save the report
            </Button>
          </>
        )}
        <div class="dialog-foot">
          <Button
            onClick={() => {
              ending.current?.abort();
              onClose();
            }}
          >
            {progress && !busy ? 'Close' : 'Cancel'}
          </Button>
          <Button
            kind="main"
            busy={busy}
            disabled={!file}
            onClick={() => {
              if (file) void run(file);
            }}
          >
            Import
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

import { save } from '../../save.ts';
import { Button } from '../../ui/button.tsx';
import { Lines } from '../../ui/fields.tsx';
import { placeOf } from '../../ui/status.tsx';
import { Text } from '../../ui/text.tsx';
import type { Refused } from './import-run.ts';

const SHOWN = 200;

/** Returns the text in which refused lines are corrected. */
export function toDraft(refused: readonly Refused[]): string {
  const texts = refused.slice(0, SHOWN).map((one) => one.text);
  return texts.join('\n');
}

/** Returns a file with the corrected lines, at its end, in place of those that its check has refused. */
export async function corrected(
  file: Blob,
  refused: readonly Refused[],
  draft: string,
): Promise<Blob> {
  const drafted = new Set(refused.slice(0, SHOWN).map(({ line }) => line));
  const lines = (await file.text())
    .split('\n')
    .filter((text, at) => text !== '' && !drafted.has(at + 1));
  return new Blob([[...lines, draft].join('\n')]);
}

/** Shows refused lines with their reasons, and lets one correct and import them again. */
export function RefusedLines({
  refused,
  head,
  text,
  onText,
  onImport,
}: {
  refused: Refused[];
  /** The number of lines of the file before the first of these. */
  head: number;
  text: string;
  onText: (text: string) => void;
  /** Imports them alone; undefined while the other lines are not imported, either. */
  onImport: (() => void) | undefined;
}) {
  const rest = refused.length - SHOWN;
  return (
    <>
      <div class="json report" role="region" aria-label="Refused lines" tabIndex={0}>
        {refused.slice(0, SHOWN).map((one) => (
          <p key={one.line}>
            Line {one.line + head} {one.provided_id && <code>{one.provided_id}</code>}
            {(one.errors ?? [{ pointer: '', detail: one.detail }]).map((each) => (
              <span key={each.pointer} class="cell-sub">
                <Text>{placeOf(each.pointer ?? '')}</Text> {each.detail}
              </span>
            ))}
          </p>
        ))}
        {rest > 0 && <p>And {rest.toLocaleString()} more, in the report.</p>}
      </div>
      <Lines
        label="Fix these lines"
        hint={rest > 0 && `The first ${SHOWN}. Save the others to correct them.`}
        class="mono"
        rows={Math.min(refused.length + 1, 8)}
        value={text}
        onChange={onText}
      />
      <p class="row wrapping">
        {onImport && (
          <Button disabled={text.trim() === ''} onClick={onImport}>
            Import these lines
          </Button>
        )}
        <Button
          onClick={() => {
            save('refused-lines.ndjson', new Blob(refused.map((one) => `${one.text}\n`)));
          }}
        >
          Save the lines
        </Button>
        <Button
          onClick={() => {
            save('report.ndjson', new Blob(refused.map((one) => `${JSON.stringify(one)}\n`)));
          }}
        >
          Save the report
        </Button>
      </p>
    </>
  );
}

import { save } from '../../save.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { Lines } from '../../ui/fields.tsx';
import { placeOf } from '../../ui/status.tsx';
import { Text } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { csvOf } from './csv.ts';
import { type Refused, type Source, textsOf } from './import-source.ts';

/** The number of refused lines that are shown and corrected at once. */
export const SHOWN = 200;

const faultsOf = ({ errors, detail }: Refused) => errors ?? [{ pointer: '', detail }];

/** Saves the number, the id and the faults of each line as a table. */
export function saveReport(refused: readonly Refused[]): void {
  const rows = refused.map((one) => [
    one.line,
    one.provided_id,
    one.code,
    faultsOf(one)
      .map(({ pointer = '', detail }) => `${placeOf(pointer)} ${detail}`.trim())
      .join(' '),
  ]);
  save('refused.csv', new Blob([csvOf([['line', 'provided_id', 'code', 'detail'], ...rows])]));
}

/** Saves lines in the form of their file. */
async function saveLines(source: Source, refused: readonly Refused[]): Promise<void> {
  const texts = await textsOf(source, refused);
  const { isTable } = source;
  const [head] = isTable ? await source.texts() : [];
  save(
    `refused-lines.${isTable ? 'csv' : 'ndjson'}`,
    new Blob([...(head === undefined ? [] : [head]), ...texts].map((text) => `${text}\n`)),
  );
}

/** Shows refused lines with their reasons, and lets one correct them. */
export function RefusedLines({
  source,
  refused,
  count,
  readAll,
  text,
  onText,
}: {
  source: Source;
  /** The first of them. */
  refused: readonly Refused[];
  /** The number of all. */
  count: number;
  readAll: () => Promise<readonly Refused[]>;
  text: string;
  onText: (text: string) => void;
}) {
  const savingLines = useAction(async () => saveLines(source, await readAll()));
  const savingReport = useAction(async () => {
    saveReport(await readAll());
  });
  const rest = count - SHOWN;
  return (
    <>
      <div class="json report" role="region" aria-label="Refused lines" tabIndex={0}>
        {refused.slice(0, SHOWN).map((one) => (
          <p key={one.line}>
            Line {one.line} {one.provided_id && <code>{one.provided_id}</code>}
            {faultsOf(one).map(({ pointer = '', detail }) => (
              <span key={pointer} class="cell-sub">
                <Text>{placeOf(pointer)}</Text> {detail}
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
      <Trouble error={savingLines.error ?? savingReport.error} />
      <p class="row wrapping">
        <Button busy={savingLines.busy} onClick={savingLines.run}>
          Save the lines
        </Button>
        <Button busy={savingReport.busy} onClick={savingReport.run}>
          Save the report
        </Button>
      </p>
    </>
  );
}

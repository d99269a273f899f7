import { useEffect, useRef, useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { useList, useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { addressOf } from '../../router.ts';
import { may } from '../../session.ts';
import { useAction } from '../../ui/action.ts';
import { Button } from '../../ui/button.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { Panel } from '../../ui/page.tsx';
import { ListFoot, Table } from '../../ui/table.tsx';
import { Text } from '../../ui/text.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { fileOf, importInJob } from '../groups/import-run.ts';
import {
  type Refused as RefusedLine,
  type Source,
  textsOf,
  withDraft,
} from '../groups/import-source.ts';
import { RefusedLines, saveReport, SHOWN } from '../groups/refused-lines.tsx';
import type { BulkJob } from './state.tsx';

async function pageOf(id: number, limit: number, cursor?: string, signal?: AbortSignal) {
  const query = { result: 'refused', limit, ...(cursor && { cursor }) } as const;
  const params = { path: { id }, query };
  return dataOf(api.GET('/api/v1/bulk-jobs/{id}/results', { params, signal: signal ?? null }));
}

/** Each refused line of an import has its number and its reason. */
const linesOf = (results: Schemas['BulkJobResult'][]) => results as RefusedLine[];

async function readAll(id: number): Promise<RefusedLine[]> {
  const all: RefusedLine[] = [];
  let cursor: string | undefined;
  do {
    const page = await pageOf(id, 200, cursor);
    all.push(...linesOf(page.results));
    cursor = page.next_cursor;
  } while (cursor);
  return all;
}

/** The groups, or lines of a file, that the job could not change, with the reasons. */
export function Refused({ job: { id, state, action, refused, ended_at } }: { job: BulkJob }) {
  const list = useList<Schemas['BulkJobResult']>(
    async (cursor, signal) => {
      const { results, next_cursor } = await pageOf(id, 50, cursor, signal);
      return { rows: results, next: next_cursor };
    },
    [id, state],
  );
  const saving = useAction(async () => {
    saveReport(await readAll(id));
  });
  const [isCorrecting, setCorrecting] = useState(false);
  const file = fileOf(id);
  return (
    <Panel
      title="Refused"
      flush
      actions={
        action === 'import' && (
          <>
            <Button busy={saving.busy} onClick={saving.run}>
              Save the report
            </Button>
            {file && ended_at && may('user-groups:write') && (
              <Button
                onClick={() => {
                  setCorrecting(true);
                }}
              >
                Correct
              </Button>
            )}
          </>
        )
      }
    >
      <Trouble error={saving.error} />
      <Table label="Refused groups" head={['User group', 'Reason']}>
        {list.rows.map(({ line, provided_id, team_id, code, detail }) => (
          <tr key={line ?? provided_id}>
            <td>
              {line && `Line ${line} `}
              {provided_id &&
                (team_id === null ? (
                  <code>
                    <Text>{provided_id}</Text>
                  </code>
                ) : (
                  <a class="row-link mono" data-row href={addressOf(['groups', provided_id])}>
                    <Text>{provided_id}</Text>
                  </a>
                ))}
            </td>
            <td>
              {detail} <span class="cell-sub mono">{code}</span>
            </td>
          </tr>
        ))}
      </Table>
      {(list.more ?? list.error) && <ListFoot list={list} what="groups" />}
      {file && isCorrecting && (
        <Correct
          {...{ id, file, count: refused }}
          onClose={() => {
            setCorrecting(false);
          }}
        />
      )}
    </Panel>
  );
}

/** Corrects refused lines of a file that this tab has sent. */
function Correct({
  id,
  file,
  count,
  onClose,
}: {
  id: number;
  file: Source;
  count: number;
  onClose: () => void;
}) {
  const [draft, setDraft] = useState<string>();
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);
  const { data, error, reload } = useLoad(
    async (signal) => {
      const lines = linesOf((await pageOf(id, SHOWN, undefined, signal)).results);
      return { lines, begun: (await textsOf(file, lines)).join('\n') };
    },
    [id],
  );
  const text = draft ?? data?.begun ?? '';
  return (
    <DialogForm
      wide
      title="Correct the refused lines"
      submit="Import these lines"
      disabled={text.trim() === ''}
      isChanged={text !== (data?.begun ?? '')}
      onClose={onClose}
      onSubmit={async () => {
        await importInJob(await withDraft(file, () => false, text), ending.current.signal);
      }}
    >
      <Trouble error={error} retry={reload} />
      {data && (
        <RefusedLines
          {...{ text, count }}
          source={file}
          refused={data.lines}
          readAll={() => readAll(id)}
          onText={setDraft}
        />
      )}
    </DialogForm>
  );
}

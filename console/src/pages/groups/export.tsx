import { useEffect, useRef, useState } from 'preact/hooks';
import { dataOf, api, fetchOk } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { readLines, save } from '../../save.ts';
import { may, SHOWING } from '../../session.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { Choice } from '../../ui/fields.tsx';
import { toTable } from './csv.ts';

/** The lines of an import, without tokens. */
const linesOf = (groups: Schemas['UserGroup'][]) =>
  groups.map(({ provided_id, name, mapping, properties, valid_until, suspended_at }) => {
    const line = {
      provided_id,
      name,
      mapping,
      properties,
      valid_until,
      suspended: suspended_at !== null,
    };
    return `${JSON.stringify(line)}\n`;
  });

/** Saves groups as an import takes them, without their tokens. */
export function saveGroups(groups: Schemas['UserGroup'][]): void {
  save('user-groups.ndjson', new Blob(linesOf(groups)));
}

/** @param filters those of the list; without any, all groups are exported */
export function ExportDialog({
  filters,
  onClose,
}: {
  filters: Record<string, string>;
  onClose: () => void;
}) {
  const [tokens, setTokens] = useState(false);
  const [isTable, setTable] = useState(false);
  const [found, setFound] = useState(0);
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);
  const { signal } = ending.current;
  const isFiltered = Object.keys(filters).length > 0;
  const readMatching = async () => {
    const lines: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: 200, ...filters, ...(cursor && { cursor }) };
      const page = await dataOf(api.GET('/api/v1/user-groups', { params: { query }, signal }));
      lines.push(...linesOf(page.user_groups));
      setFound(lines.length);
      cursor = page.next_cursor;
    } while (cursor);
    return new Blob(lines);
  };
  const readAll = async () => {
    const response = await fetchOk('api/v1/user-groups/export', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      signal,
      body: JSON.stringify({ include_tokens: tokens }),
    });
    return readLines(response, setFound);
  };
  return (
    <DialogForm
      title={isFiltered ? 'Export the user groups that match' : 'Export all user groups'}
      submit="Export"
      asks={false}
      onClose={onClose}
      onSubmit={async () => {
        const lines = await (isFiltered ? readMatching() : readAll());
        if (signal.aborted) return;
        if (isTable) save('user-groups.csv', new Blob([toTable(await lines.text())]));
        else save('user-groups.ndjson', lines);
        onClose();
      }}
    >
      <div class="segments" role="group" aria-label="Form">
        {['NDJSON', 'CSV'].map((name, at) => (
          <label key={name}>
            <input
              type="radio"
              name="form"
              checked={isTable === (at === 1)}
              onChange={() => {
                setTable(at === 1);
              }}
            />
            {name}
          </label>
        ))}
      </div>
      <p>
        {isTable
          ? 'For a spreadsheet. To import again take NDJSON: a table does not tell the text 25 from the number 25.'
          : 'A line of JSON for each group, as an import takes it.'}
      </p>
      {isFiltered || !may(SHOWING) ? (
        <p>Without their tokens.</p>
      ) : (
        <Choice isOn={tokens} onChange={setTokens}>
          Include tokens (the file is then a secret; this is logged)
        </Choice>
      )}
      <p role="status">{found > 0 && `${found.toLocaleString()} read…`}</p>
    </DialogForm>
  );
}

import { Button } from '../../ui/button.tsx';
import { Overall, TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { pointerOf } from '../../ui/status.tsx';

export interface HeaderRow {
  name: string;
  value: string;
}

/** Returns the headers as the API takes them, without empty rows. */
export function toHeaders(rows: HeaderRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.filter(({ name, value }) => name || value).map(({ name, value }) => [name.trim(), value]),
  );
}

/**
 * Rows of headers. Stored values are never shown, so that a change gives all of them again.
 * @param kept the names of the stored headers while they stay as they are
 */
export function Headers({
  kept,
  rows,
  onChange,
}: {
  kept: string[];
  rows: HeaderRow[] | undefined;
  onChange: (rows: HeaderRow[]) => void;
}) {
  const change = (index: number, fields: Partial<HeaderRow>) => {
    onChange(rows!.map((row, place) => (place === index ? { ...row, ...fields } : row)));
  };
  return (
    <fieldset>
      <legend class="legend">Custom headers</legend>
      <p class="hint">
        Sent with every message, such as the key of a gateway. Values are stored encrypted and never
        shown.
      </p>
      <Overall at="/headers" />
      {rows ? (
        <>
          {rows.map((row, index) => (
            <div key={index} class="header-row">
              <TextField
                label="Name"
                pointer={pointerOf('headers', row.name.trim())}
                spellcheck={false}
                autocomplete="off"
                placeholder="X-Api-Key"
                value={row.name}
                onChange={(name) => {
                  change(index, { name });
                }}
              />
              <TextField
                label="Value"
                spellcheck={false}
                autocomplete="off"
                required={row.name !== ''}
                value={row.value}
                onChange={(value) => {
                  change(index, { value });
                }}
              />
              <button
                type="button"
                class="copy"
                aria-label={`Remove the header ${row.name || index + 1}`}
                onClick={() => {
                  onChange(rows.filter((_, place) => place !== index));
                }}
              >
                <Icon name="close" />
              </button>
            </div>
          ))}
          <Button
            icon="plus"
            onClick={() => {
              onChange([...rows, { name: '', value: '' }]);
            }}
          >
            Add header
          </Button>
        </>
      ) : (
        <div class="actions">
          <span>
            <code>{kept.join(', ')}</code> <span class="soft">as stored</span>
          </span>
          <Button
            onClick={() => {
              onChange(kept.map((name) => ({ name, value: '' })));
            }}
          >
            Replace…
          </Button>
        </div>
      )}
    </fieldset>
  );
}

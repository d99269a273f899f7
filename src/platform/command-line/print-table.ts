import { withoutControls } from '../common/text.ts';

type Cell = string | number;

/** The columns of a table: each heading with its cell of a row. */
export type Columns<Row> = Record<string, (row: Row) => Cell>;

const MAX_WIDTH = 120;
const GAP = '  ';
const ASCII = /^[\x20-\x7e]*$/;
/** Takes two columns of a terminal. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/**
 * Prints rows under their headings on standard output. Cells of the widest columns are cut if a line would be too wide.
 * @param least the least widths of the columns
 * @param headed false if the rows go on with a table
 */
export function printTable<Row>(
  columns: Columns<Row>,
  rows: readonly Row[],
  { least = [], headed = true }: { least?: readonly number[]; headed?: boolean } = {},
): void {
  const cells = rows.map((row) =>
    Object.values(columns).map((cell) => withoutControls(String(cell(row)))),
  );
  const heads = Object.keys(columns);
  const lines = headed ? [heads, ...cells] : cells;
  const widths = fit(
    heads.map((_, column) =>
      Math.max(least[column] ?? 0, ...lines.map((line) => widthOf(line[column]!))),
    ),
  );
  for (const line of lines) {
    console.log(
      line
        .map((cell, column) => pad(clip(cell, widths[column]!), widths[column]!))
        .join(GAP)
        .trimEnd(),
    );
  }
}

/** Prints the fields of an object, one below the other. A long value, and each entry of a list, has lines of its own. */
export function printFields(object: object): void {
  const fields = Object.entries(object);
  const indent = Math.max(0, ...fields.map(([name]) => name.length)) + GAP.length;
  for (const [name, value] of fields) {
    let label = name;
    for (let rest of entriesOf(value).map(withoutControls)) {
      do {
        const part = partOf(rest, MAX_WIDTH - indent);
        console.log((label.padEnd(indent) + part).trimEnd());
        rest = rest.slice(part.length);
        label = '';
      } while (rest !== '');
    }
  }
}

/** Writes a value as JSON without control characters. */
export function toTerminalJson(value: object, indent?: number): string {
  return linesForTerminal(JSON.stringify(value, null, indent));
}

/** Escapes control characters in lines of JSON, whose values stay the same. */
export function linesForTerminal(lines: string): string {
  return lines.split('\n').map(withoutControls).join('\n');
}

/** Returns a text for each object of a list: `code: required, pointer: /name`. Any other value has one text. */
function entriesOf(value: unknown): string[] {
  if (!Array.isArray(value) || typeof (value[0] ?? '') !== 'object') return [toText(value)];
  return value.map((entry: object) => {
    const fields = Object.entries(entry).filter(([, field]) => field !== null);
    return fields.map(([name, field]) => `${name}: ${toText(field)}`).join(', ');
  });
}

function toText(value: unknown): string {
  if (value === null) return '-';
  if (typeof value === 'string') return value;
  const isListOfTexts = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
  return isListOfTexts ? value.join(', ') || '-' : JSON.stringify(value);
}

/** Returns the widths of columns that share a line. Only the widest are narrowed, to the same width. */
function fit(widths: readonly number[]): number[] {
  let room = MAX_WIDTH - GAP.length * (widths.length - 1);
  let cap = room;
  for (const [index, width] of [...widths].sort((one, other) => one - other).entries()) {
    cap = Math.floor(room / (widths.length - index));
    if (width > cap) break;
    room -= width;
    cap = width;
  }
  return widths.map((width) => Math.min(width, cap));
}

function clip(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${partOf(text, width - 1)}…`;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Returns the columns of a terminal that the text takes. */
function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + widthOfGrapheme(grapheme), 0);
}

/** Returns the longest beginning of the text that fits, and no less than its first character. */
function partOf(text: string, width: number): string {
  if (ASCII.test(text)) return text.slice(0, width);
  let part = '';
  let used = 0;
  for (const grapheme of graphemes(text)) {
    used += widthOfGrapheme(grapheme);
    if (used > width && part !== '') break;
    part += grapheme;
  }
  return part;
}

function graphemes(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

function widthOfGrapheme(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}

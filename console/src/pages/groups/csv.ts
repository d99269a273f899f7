const PLAIN = ['provided_id', 'user_group_id', 'name', 'token', 'valid_until', 'suspended'];
const SCALAR = /^(-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?|true|false|null)$/;

/** Decodes a file as spreadsheets write it: in UTF-8, or else in Windows-1252, which has a character for each byte. */
export async function decoded(file: Blob): Promise<{ text: string; isLegacy: boolean }> {
  const bytes = await file.arrayBuffer();
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isLegacy: false };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), isLegacy: true };
  }
}

/** The usual separators; the first record has that of the file the most. */
const SEPARATORS = [',', ';', '\t'];

function separatorOf(text: string): string {
  const [head = ''] = text.replace(/"[^"]*"/g, '').split('\n', 1);
  const counts = SEPARATORS.map((one) => head.split(one).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

interface CsvRecord {
  fields: string[];
  /** Its own text, without the line break at its end. */
  text: string;
}

/** Splits a text into records. Throws if a quotation mark is out of place. @see RFC 4180 */
function recordsOf(text: string): CsvRecord[] {
  const separator = separatorOf(text);
  const pattern = `(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`;
  const fields = new RegExp(pattern, 'y');
  const records: CsvRecord[] = [];
  let record: string[] = [];
  let begin = 0;
  while (fields.lastIndex < text.length) {
    const from = fields.lastIndex;
    const field = fields.exec(text);
    if (!field) {
      const line = text.slice(0, from).split('\n').length;
      throw new Error(
        `Line ${line} has a quotation mark out of place: write "" for one in a quoted field.`,
      );
    }
    const [, quoted, plain = '', end] = field;
    record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === separator && fields.lastIndex < text.length) continue;
    if (end === separator) record.push('');
    records.push({
      fields: record,
      text: text.slice(begin, fields.lastIndex).replace(/\r?\n$/, ''),
    });
    record = [];
    begin = fields.lastIndex;
  }
  return records;
}

/**
 * Reads a table with commas, semicolons or tabs. Its first record names the columns: `provided_id`, `name`,
 * `mapping.<schema>`, `properties.<name>` and the other fields of a line. An empty field is left out. A property can be a
 * number, true, false or null; everything else is a text.
 *
 * @returns for each record its own text and its line of an import; a blank line for the first and for each empty one, so
 *   that a line has the number of its record
 */
export function readTable(text: string): { text: string; line: string }[] {
  const [head, ...records] = recordsOf(text.replace(/^[\uFEFF\r\n]+/, ''));
  const columns = head?.fields ?? [];
  const unknown = columns.find(
    (name) => !PLAIN.includes(name) && !/^(mapping|properties)\../.test(name),
  );
  if (unknown !== undefined) {
    throw new Error(
      `The first line has the column “${unknown}”. Call it properties.${unknown}, mapping.${unknown}, or one of ${PLAIN.join(', ')}.`,
    );
  }
  const rows = records.map(({ fields, text }) => {
    const isEmpty = fields.join('') === '';
    if (!isEmpty && fields.length !== columns.length) {
      throw new Error(
        `The record “${fields.join()}” has ${fields.length} fields and not ${columns.length}.`,
      );
    }
    return { text: isEmpty ? '' : text, line: isEmpty ? '' : toLine(columns, fields) };
  });
  return [{ text: head?.text ?? '', line: '' }, ...rows];
}

/** Writes the JSON itself, because a number may have more digits than JavaScript keeps. */
function toLine(columns: readonly string[], record: readonly string[]): string {
  const members: Record<'' | 'mapping' | 'properties', string[]> = {
    '': [],
    mapping: [],
    properties: [],
  };
  for (const [index, column] of columns.entries()) {
    const value = record[index] ?? '';
    if (value === '') continue;
    const [, group = '', name = column] = /^(mapping|properties)\.(.+)$/s.exec(column) ?? [];
    const isJson =
      group === 'properties'
        ? SCALAR.test(value)
        : column === 'suspended' && /^(true|false)$/.test(value);
    members[group as 'mapping'].push(
      `${JSON.stringify(name)}:${isJson ? value : JSON.stringify(value)}`,
    );
  }
  const { '': own, mapping, properties } = members;
  if (mapping.length > 0) own.push(`"mapping":{${mapping.join()}}`);
  if (properties.length > 0) own.push(`"properties":{${properties.join()}}`);
  return `{${own.join()}}`;
}

/**
 * A formula would run in a spreadsheet: a text that begins like one gets an apostrophe before it, and one with `;`, the separator
 * of some spreadsheets, is quoted.
 */
function toField(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text =
    typeof value === 'string' ? value.replace(/^[=+\-@\t\r]/, "'$&") : JSON.stringify(value);
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Turns the lines of an export into a table with a column for each schema and property. @see RFC 4180 */
export function toTable(lines: string): string {
  const rows = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => !('summary' in line))
    .map(({ mapping, properties, ...own }) => {
      const row = new Map(Object.entries(own));
      for (const [kind, group] of Object.entries({ mapping, properties })) {
        for (const [name, value] of Object.entries(group as object)) {
          row.set(`${kind}.${name}`, value);
        }
      }
      return row;
    });
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  return csvOf([columns, ...rows.map((row) => columns.map((name) => row.get(name)))]);
}

/** Writes records as a spreadsheet reads them. @see RFC 4180 */
export function csvOf(records: readonly (readonly unknown[])[]): string {
  return records.map((record) => `${record.map(toField).join()}\r\n`).join('');
}

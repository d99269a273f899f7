import { Refusal } from '../../api.ts';
import { decoded, readTable } from './csv.ts';

/** Lines that are imported. */
export interface Source {
  /** Lines of JSON, as the service takes them. */
  lines: Blob;
  /** Reads the text that the file has for each line. */
  texts: () => Promise<string[]>;
  /** Whether the file is a table, whose first line names the columns. */
  isTable: boolean;
  /** Whether the file is not written in UTF-8. */
  isLegacy?: boolean;
}

/** A refused line. */
export interface Refused {
  /** Its number in the file, from 1. */
  line: number;
  provided_id?: string | null;
  code: string;
  detail: string;
  errors?: { pointer?: string; detail: string }[];
}

function ofJson(lines: Blob): Source {
  return { lines, texts: async () => (await lines.text()).split('\n'), isTable: false };
}

function ofTable(text: string): Source {
  try {
    const rows = readTable(text);
    return {
      lines: new Blob(rows.map(({ line }) => `${line}\n`)),
      texts: () => Promise.resolve(rows.map((row) => row.text)),
      isTable: true,
    };
  } catch (error) {
    throw new Refusal({ title: 'The file cannot be read.', detail: (error as Error).message });
  }
}

/** Reads a file with lines of JSON or a table; throws a {@link Refusal} for a table that is none. */
export async function sourceOf(file: File): Promise<Source> {
  const begin = await file.slice(0, 99).text();
  if (!/\.(csv|tsv|txt)$/i.test(file.name) || /^\s*\{/.test(begin)) return ofJson(file);
  const { text, isLegacy } = await decoded(file);
  return { ...ofTable(text), isLegacy };
}

/** Returns the lines that `isKept`, and a text behind them, which is written as the file is. */
export async function withDraft(
  { texts, isTable }: Source,
  isKept: (line: number) => boolean,
  draft: string,
): Promise<Source> {
  const kept = (await texts()).filter(
    (text, at) => text !== '' && (isKept(at + 1) || (isTable && at === 0)),
  );
  const text = [...kept, draft].join('\n');
  return isTable ? ofTable(text) : ofJson(new Blob([text]));
}

/** Returns the text of each of these lines, in the form of the file. */
export async function textsOf(source: Source, refused: readonly Refused[]): Promise<string[]> {
  const texts = await source.texts();
  return refused.map(({ line }) => texts[line - 1] ?? '');
}

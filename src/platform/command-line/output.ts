import { Option } from 'commander';
import { printMessage } from './show-progress.ts';
import type { ListPage } from '../common/http/parameters/page.dto.ts';
import { withoutControls } from '../common/text.ts';
import { type Columns, printFields, printTable, toTerminalJson } from './print-table.ts';

const forms = ['table', 'json', 'ndjson'] as const;

/** The form in which a command prints its result. */
export type Form = (typeof forms)[number];

/** The options of a command that has `outputOption`. */
export interface Printing {
  output: Form;
}

/** The option that every command with a result has. */
export function outputOption(): Option {
  return new Option('-o, --output <form>', 'form of the result').choices(forms).default('table');
}

/** Prints a response with one object, which its member `name` is; without a name it is the response itself. */
export function printOne({ output }: Printing, response: object, name?: string): void {
  const one = name === undefined ? response : (response as Record<string, object>)[name]!;
  if (output === 'table') printFields(one);
  else console.log(output === 'json' ? toTerminalJson(response, 2) : toTerminalJson(one));
}

/** Prints a response whose member `name` is a list. */
export function printList<Row>(
  { output }: Printing,
  response: object,
  name: string,
  columns: Columns<Row>,
): void {
  const rows = (response as Record<string, (Row & object)[]>)[name]!;
  if (output === 'table') printTable(columns, rows);
  else if (output === 'json') console.log(toTerminalJson(response, 2));
  else for (const row of rows) console.log(toTerminalJson(row));
}

/** Prints a response that may be a part of a list, and tells how to see the rest. */
export function printPart<Row>(
  options: Printing,
  response: ListPage,
  name: string,
  columns: Columns<Row>,
  cursorOption = '--cursor',
): void {
  printList(options, response, name, columns);
  if (!response.has_more || options.output === 'json') return;
  const { next_cursor: cursor } = response;
  printMessage(
    `More follow; use ${cursor === undefined ? 'a higher --limit' : `${cursorOption} ${cursor}`}.`,
  );
}

/**
 * Prints a response whose object holds a secret. Without another form the secret is alone on standard output, so that
 * it can be piped.
 * @param about the sentence for people
 */
export function printSecret(
  options: Printing,
  response: object,
  name: string,
  about: string,
  secret: string,
): void {
  if (options.output !== 'table') {
    printOne(options, response, name);
    return;
  }
  printMessage(withoutControls(about));
  console.log(secret);
}

/** Prints that something is done, which a person reads as a sentence on standard error. */
export function printDone(
  { output }: Printing,
  sentence: string,
  response: object = { success: 1 },
): void {
  if (output === 'table') printMessage(withoutControls(sentence));
  else console.log(toTerminalJson(response, output === 'json' ? 2 : undefined));
}

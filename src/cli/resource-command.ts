import type { INestApplicationContext, Type } from '@nestjs/common';
import { type Command, InvalidArgumentError } from 'commander';
import type { Caller } from '../common/access/caller.ts';
import { PageQueryDto } from '../common/http/parameters/page.dto.ts';
import { printTable, toTerminalJson } from './print-table.ts';
import { withWorkspace } from './with-services.ts';

/** A kind of thing of a workspace, as the subcommands of one command administer it. */
interface Resource<Service, View> {
  noun: string;
  service: Type<Service>;
  /** Tells which number is expected as an id. */
  idHint?: string;
  /** The table of several: each heading with its cell of a row. */
  columns: Record<string, (view: View) => string | number>;
}

/** The arguments of a subcommand's work. */
interface Given<Service, Options> {
  app: INestApplicationContext;
  service: Service;
  caller: Caller;
  options: Options;
  /** The argument of a subcommand `about` one thing. */
  id: number;
}

interface Page<View> {
  rows: readonly View[];
  next_cursor?: string;
}

/** Helps to define the subcommands that administer a resource. Each has the option `--workspace`. */
export function resourceCommand<Service, View extends object>(
  parent: Command,
  { noun, service, idHint = 'Use the number in the first column.', columns }: Resource<Service, View>,
) {
  const subcommand = (name: string, description: string) =>
    parent.command(name).description(description).option('--workspace <name>', `whose ${noun} it is`, 'default');

  const about = (name: string, description: string) =>
    subcommand(name, description).argument('<id>', `see "${parent.name()} list"`, (text) => {
      if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError(idHint);
      return Number(text);
    });

  const run =
    <Options extends { workspace: string }>(work: (given: Given<Service, Options>) => Promise<void>) =>
    (...given: unknown[]): Promise<void> => {
      const options = given.at(-2) as Options;
      return withWorkspace(options.workspace, (app, caller) =>
        work({ app, service: app.get(service), caller, options, id: given[0] as number }),
      );
    };

  const print = (rows: readonly View[]) => {
    const cells = Object.values(columns);
    printTable(
      Object.keys(columns),
      rows.map((row) => cells.map((cell) => cell(row))),
    );
  };

  /** @param read one page of what is listed */
  const list = <Options extends { workspace: string }>(
    description: string,
    read: (given: Given<Service, Options>, query: PageQueryDto) => Promise<Page<View>>,
  ) =>
    subcommand('list', description).action(
      run<Options>(async (given) => {
        const query = new PageQueryDto();
        const all: View[] = [];
        do {
          const { rows, next_cursor } = await read(given, query);
          all.push(...rows);
          query.cursor = next_cursor;
        } while (query.cursor !== undefined);
        print(all);
      }),
    );

  const show = (description: string, read: (given: Given<Service, { workspace: string }>) => Promise<View>) =>
    about('show', description).action(
      run(async (given) => {
        console.log(toTerminalJson(await read(given), 2));
      }),
    );

  return { subcommand, about, run, print, list, show };
}

/** The body of an API call; options that are not given are absent. */
export function toBody(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The entries of a text that has them between commas. */
export function parseList(list: string): string[] {
  return list.split(',').map((entry) => entry.trim());
}

/** A time of the API as tables print it: to the second, or `-` for none. */
export function toCell(time: string | null): string {
  return time?.replace(/\.\d+Z$/, 'Z') ?? '-';
}

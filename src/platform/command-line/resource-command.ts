import type { INestApplicationContext, Type } from '@nestjs/common';
import { type Command, InvalidArgumentError } from 'commander';
import type { Caller } from '../common/access/caller.ts';
import type { CommandNeeds, CommandServices } from '../common/extension/command.ts';
import type { ListPage, PageQueryDto } from '../common/http/parameters/page.dto.ts';
import { parseStrictJson } from '../common/json/strict-json.ts';
import { ServiceError } from '../common/problem/problem.ts';
import { printDone, type Printing, printList, printOne, printSecret } from './output.ts';
import type { Columns } from './print-table.ts';
import { readPages } from './read-pages.ts';
import { subcommandOf } from './subcommand.ts';

/** A kind of object of a workspace, as the subcommands of one command administer it. */
interface Resource<Service, View, Id> {
  noun: string;
  service: Type<Service>;
  /** The member of a response that is one of them. */
  one: string;
  /** The member of a response that is a list of them. */
  many: string;
  columns: Columns<View>;
  /** The argument of a subcommand about one of them. */
  id: IdArgument<Id>;
}

interface IdArgument<Id> {
  about: string;
  example: string;
  parse: (text: string) => Id;
}

interface OwnOptions extends Printing {
  workspace: string;
}

/** The arguments of a subcommand's work. */
interface Given<Service, Id, Options> {
  app: INestApplicationContext;
  service: Service;
  caller: Caller;
  options: Options & OwnOptions;
  /** The argument of a subcommand `about` one object. */
  id: Id;
  /** The arguments after it. */
  more: string[];
}

/** Helps to define the subcommands that administer a resource. Each has the options `--workspace` and `--output`. */
export function resourceCommand<Service, View extends object, Id extends number | string>(
  parent: Command,
  { withWorkspace }: CommandServices,
  { noun, service, one, many, columns, id }: Resource<Service, View, Id>,
) {
  const subcommand = (name: string, description: string, example = '') =>
    subcommandOf(parent, name, description, example, noun);

  /** @param example follows the id */
  const about = (name: string, description: string, example = '') =>
    subcommand(name, description, `${id.example} ${example}`).argument('<id>', id.about, id.parse);

  const run =
    <Options = object>(
      work: (given: Given<Service, Id, Options>) => Promise<void>,
      needs?: CommandNeeds,
    ) =>
    (...given: unknown[]): Promise<void> => {
      const options = given.at(-2) as Options & OwnOptions;
      const [id, ...more] = given.slice(0, -2) as [Id, ...string[]];
      return withWorkspace(
        options.workspace,
        (app, caller) => work({ app, service: app.get(service), caller, options, id, more }),
        needs,
      );
    };

  /** Prints the response that `work` returns, which has one of them. */
  const runToOne = <Options = object>(
    work: (given: Given<Service, Id, Options>) => Promise<object>,
    needs?: CommandNeeds,
  ) =>
    run<Options>(async (given) => {
      printOne(given.options, await work(given), one);
    }, needs);

  /** Prints a response that has one of them with a secret. */
  const issued = (options: Printing, response: object, about: string, secret: string) => {
    printSecret(options, response, one, about, secret);
  };

  /** @param read one page of what is listed */
  const list = <Options = object>(
    description: string,
    read: (given: Given<Service, Id, Options>, query: PageQueryDto) => Promise<ListPage>,
  ) =>
    subcommand('list', description).action(
      run<Options>(async (given) => {
        const response = await readPages(many, Infinity, (page) => read(given, page));
        printList(given.options, response, many, columns);
      }),
    );

  const show = (
    description: string,
    read: (given: Given<Service, Id, object>) => Promise<object>,
  ) => about('show', description).action(runToOne(read));

  /** @param end deletes or ends one; `sentence` says so */
  const end = (
    name: string,
    description: string,
    sentence: string,
    end: (given: Given<Service, Id, object>) => Promise<unknown>,
  ) =>
    about(name, description).action(
      run(async (given) => {
        await end(given);
        printDone(given.options, `The ${noun} ${given.id} is ${sentence}.`);
      }),
    );

  return { subcommand, about, run, runToOne, issued, list, show, end };
}

/** The argument that numbers one of what the list of a command shows. */
export function numberIn(list: Command): IdArgument<number> {
  return { about: `see "${list.name()} list"`, example: '7', parse: toId };
}

export const toId = wholeNumber('Use the number in the first column of the list.');

/** Parses a number of seconds. The rule of the field refuses numbers out of its range. */
export const parseSeconds = wholeNumber('Use a whole number of seconds.');

/** @param hint for a text that is none */
function wholeNumber(hint: string): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text)) return Number(text);
    throw new InvalidArgumentError(hint);
  };
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

/** A JSON text that was given; null alone would count as no value of the option. */
export interface GivenJson {
  value: unknown;
}

/** Reads JSON as the API does. */
export function parseJson(text: string): GivenJson {
  try {
    const { value, violations, lossyNumbers } = parseStrictJson(Buffer.from(text));
    const [violation] = [...violations, ...lossyNumbers];
    if (violation === undefined) return { value };
    throw new InvalidArgumentError(violation.detail);
  } catch (error) {
    throw error instanceof ServiceError
      ? new InvalidArgumentError(error.message.replace('body', 'value'))
      : error;
  }
}

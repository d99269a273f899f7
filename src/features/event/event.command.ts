import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import type { Caller } from '../../platform/common/access/caller.ts';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import { EventQueryDto } from './feed/dto/event-query.dto.ts';
import type { EventView } from './feed/dto/event-response.dto.ts';
import { EventService } from './feed/event.service.ts';
import {
  givenParameters,
  type Limited,
  limitOption,
  parameterOptions,
} from '../../platform/command-line/list-query.ts';
import { type Printing, printList, printPart } from '../../platform/command-line/output.ts';
import { type Columns, printTable } from '../../platform/command-line/print-table.ts';
import { toCell } from '../../platform/command-line/resource-command.ts';
import { withResult } from '../../platform/command-line/subcommand.ts';

const MAX_EVENTS = 1000;
/** Seconds of one wait for the next event. */
const WAIT = '30';

const parameters: Record<Exclude<keyof EventQueryDto, 'limit'>, string> = {
  types: 'only these types, such as user_group.update,api_token.*',
  after: 'cursor that the previous list printed; "latest" skips all past events',
  wait: 'seconds to wait if there is no event yet, at most 30',
};

const columns: Columns<EventView> = {
  TIME: ({ occurred_at }) => toCell(occurred_at),
  ID: ({ id }) => id,
  TYPE: ({ type }) => type,
  OBJECT: ({ user_group, object }) => user_group?.provided_id ?? object?.id ?? '-',
};
/** The usual widths of the columns, for rows that are not known yet. */
const WIDTHS = [20, 20, 28, 0];

interface Settings extends Printing, Limited {
  workspace: string;
  follow?: true;
}

export function defineEvents(command: Command, { withWorkspace }: CommandServices): void {
  withResult(command, "events --types 'user_group.*' --follow", 'events');
  limitOption(parameterOptions(command, parameters), MAX_EVENTS)
    .option('--follow', 'print each further event as it happens, until the command is interrupted')
    .action((options: Settings) => {
      if (options.follow && options.output === 'json') {
        command.error("error: option '--follow' needs the output table or ndjson");
      }
      return withWorkspace(options.workspace, (app, caller) => run(app, caller, options));
    });
}

async function run(app: INestApplicationContext, caller: Caller, options: Settings): Promise<void> {
  const events = app.get(EventService);
  const given = { ...givenParameters(options, parameters), limit: String(options.limit) };
  const { signal } = new AbortController();
  const read = (query: object) => events.list(caller, checkedDto(EventQueryDto, query), signal);
  let response = await read(given);
  if (!options.follow) {
    printPart(options, response, 'events', columns, '--after');
    return;
  }
  if (options.output === 'table') printTable(columns, [], { least: WIDTHS });
  for (;;) {
    if (options.output === 'table') {
      printTable(columns, response.events, { least: WIDTHS, headed: false });
    } else printList(options, response, 'events', columns);
    response = await read({ ...given, after: response.next_cursor, wait: WAIT });
  }
}

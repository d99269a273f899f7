import { type Command, InvalidArgumentError } from 'commander';
import { AuditEventService } from '../../audit/audit-event.service.ts';
import type { AuditEventView } from '../../audit/dto/audit-event-response.dto.ts';
import { outputOption, type Printing, printList } from '../output.ts';
import { toCell } from '../resource-command.ts';
import { subcommandOf } from '../subcommand.ts';
import { withServices } from '../with-services.ts';

const MAX_EVENTS = 10_000;

export function defineAudit(audit: Command): void {
  subcommandOf(audit, 'list', 'list the latest events of every workspace, newest first', '--limit 20')
    .addOption(outputOption())
    .option('--limit <count>', 'how many', parseLimit, 100)
    .action((options: Printing & { limit: number }) =>
      withServices(async (app) => {
        const audit_events = await app.get(AuditEventService).listLatest(options.limit);
        const response = { success: 1, audit_events, has_more: audit_events.length === options.limit };
        printList<AuditEventView>(options, response, 'audit_events', {
          TIME: ({ occurred_at }) => toCell(occurred_at),
          ACTION: ({ action }) => action,
          ACTOR: ({ actor }) => (actor.api_token_id === undefined ? actor.type : `token ${actor.api_token_id}`),
          OBJECT: ({ object }) => (object ? `${object.type} ${object.id}` : '-'),
        });
      }),
    );
}

function parseLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (limit >= 1 && limit <= MAX_EVENTS) return limit;
  throw new InvalidArgumentError(`Use a number from 1 to ${MAX_EVENTS}.`);
}

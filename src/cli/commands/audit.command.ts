import { type Command, InvalidArgumentError } from 'commander';
import { AuditEventService } from '../../audit/audit-event.service.ts';
import { toTerminalJson } from '../print-table.ts';
import { withServices } from '../with-services.ts';

const MAX_EVENTS = 10_000;

export function defineAudit(audit: Command): void {
  audit
    .command('list')
    .description('print the latest events of every workspace, one JSON object per line, newest first')
    .option('--limit <count>', 'how many', parseLimit, 100)
    .action(({ limit }: { limit: number }) =>
      withServices(async (app) => {
        for (const event of await app.get(AuditEventService).listLatest(limit)) {
          console.log(toTerminalJson(event));
        }
      }),
    );
}

function parseLimit(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (limit >= 1 && limit <= MAX_EVENTS) return limit;
  throw new InvalidArgumentError(`Use a number from 1 to ${MAX_EVENTS}.`);
}

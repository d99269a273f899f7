import type { Command } from 'commander';
import { AuditEventService } from './audit-event.service.ts';
import { AuditEventQueryDto } from './dto/audit-event-query.dto.ts';
import type { AuditEventView } from './dto/audit-event-response.dto.ts';
import type { CountedQueryDto } from '../../platform/common/http/parameters/total.ts';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import {
  givenParameters,
  type Limited,
  limitOption,
  parameterOptions,
} from '../../platform/command-line/list-query.ts';
import { type Printing, printPart } from '../../platform/command-line/output.ts';
import type { Columns } from '../../platform/command-line/print-table.ts';
import { readPages } from '../../platform/command-line/read-pages.ts';
import { toCell } from '../../platform/command-line/resource-command.ts';
import { subcommandOf } from '../../platform/command-line/subcommand.ts';

type Filter = Exclude<keyof AuditEventQueryDto, keyof CountedQueryDto>;

const filters: Record<Filter, string> = {
  types: 'only these actions, such as user_group.update,api_token.*',
  object_type: 'only of this kind of object, such as user_group',
  object_id: 'only of the object with this id; of a group your own id',
  api_token_id: 'only events of the API token with this number',
  request_id: 'only events of the request with this X-Request-Id',
  from: 'only of this moment and later, such as 2030-01-01T00:00:00Z',
  to: 'only before this moment',
  search: 'only with this text; needs --workspace',
};

interface Settings extends Printing, Limited {
  workspace?: string;
  cursor?: string;
  search?: string;
}

/** An event in the list of every workspace. */
type ListedEvent = AuditEventView & {
  /** The name; null for none. */
  workspace?: string | null;
};

const columns: Columns<ListedEvent> = {
  TIME: ({ occurred_at }) => toCell(occurred_at),
  ACTION: ({ action }) => action,
  ACTOR: ({ actor }) =>
    actor.api_token_id === undefined ? actor.type : `token ${actor.api_token_id}`,
  OBJECT: ({ object }) => (object ? `${object.type} ${object.id}` : '-'),
};

export function defineAudit(audit: Command, services: CommandServices): void {
  const list = subcommandOf(
    audit,
    'list',
    'list the latest events, newest first',
    "--workspace default --types 'user_group.*' --from 2030-01-01T00:00:00Z",
  ).option(
    '--workspace <name>',
    'only events of this workspace; by default, events of every workspace and of none',
  );
  limitOption(parameterOptions(list, filters))
    .option('--cursor <cursor>', 'cursor that the previous list printed; needs --workspace')
    .action(async (options: Settings) => {
      const { workspace } = options;
      const query = givenParameters(options, filters);
      if (workspace !== undefined) return listOf(services, workspace, query, options);
      const alone = ['search', 'cursor'].find((name) => name in options);
      if (alone !== undefined) list.error(`error: option '--${alone}' needs '--workspace'`);
      return listEverywhere(services, query, options);
    });
}

function listOf(
  { withWorkspace }: CommandServices,
  workspace: string,
  query: Record<string, string>,
  options: Settings,
): Promise<void> {
  return withWorkspace(workspace, async (app, caller) => {
    const read = (page: object) =>
      app
        .get(AuditEventService)
        .list(caller, checkedDto(AuditEventQueryDto, { ...query, ...page }));
    const response = await readPages('audit_events', options.limit, read, options.cursor);
    printPart(options, response, 'audit_events', columns);
  });
}

function listEverywhere(
  { withServices, workspaceNames }: CommandServices,
  query: Record<string, string>,
  options: Settings,
): Promise<void> {
  return withServices(async (app) => {
    const { limit } = options;
    const dto = checkedDto(AuditEventQueryDto, query);
    const found = await app.get(AuditEventService).listEverywhere(dto, limit + 1);
    const names = await workspaceNames(app);
    const audit_events = found.slice(0, limit).map(({ event, workspaceId }) => ({
      ...event,
      workspace: names.get(workspaceId ?? 0) ?? null,
    }));
    const response = { success: 1, audit_events, has_more: found.length > limit };
    printPart<ListedEvent>(options, response, 'audit_events', {
      ...columns,
      WORKSPACE: ({ workspace = null }) => workspace ?? '-',
    });
  });
}

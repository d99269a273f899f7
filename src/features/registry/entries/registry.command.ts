import type { Command } from 'commander';
import type { CommandServices } from '../../../platform/common/extension/command.ts';
import { checkedDto } from '../../../platform/common/json/to-dto.ts';
import {
  CreateRegistryEntryRequest,
  RegistryQueryDto,
  UpdateRegistryEntryRequest,
} from './dto/registered.dto.ts';
import type { RegistryEntryView } from './dto/registered-response.dto.ts';
import { dataSourceKind, type EntryKind, schemaKind } from './registered-kind.ts';
import { RegistryService } from './registry.service.ts';
import {
  numberIn,
  resourceCommand,
  toBody,
  toCell,
} from '../../../platform/command-line/resource-command.ts';

interface Settings {
  providedId?: string;
  name: string;
}

export function defineSchema(schema: Command, services: CommandServices): void {
  defineKind(schema, services, schemaKind, '--provided-id sales --name Sales');
}

export function defineDataSource(dataSource: Command, services: CommandServices): void {
  defineKind(
    dataSource,
    services,
    dataSourceKind,
    "--provided-id warehouse-emea --name 'Warehouse EMEA'",
  );
}

function defineKind(
  group: Command,
  services: CommandServices,
  kind: EntryKind,
  example: string,
): void {
  const { type } = kind;
  const { subcommand, about, runToOne, list, show, end } = resourceCommand(group, services, {
    noun: kind.name,
    service: RegistryService,
    one: type,
    many: `${type}s`,
    columns: {
      ID: ({ id }: RegistryEntryView) => id,
      'PROVIDED ID': ({ provided_id }) => provided_id,
      NAME: ({ name }) => name,
      CREATED: ({ created_at }) => toCell(created_at),
      CHANGED: ({ updated_at }) => toCell(updated_at),
    },
    id: numberIn(group),
  });
  // Makes the response of the API.
  const respond = (view: RegistryEntryView) => ({ success: 1, [type]: view });

  subcommand('create', `register a ${kind.name}`, example)
    .requiredOption('--provided-id <id>', 'your own id of it, which cannot be changed')
    .requiredOption('--name <name>', 'its name for people')
    .action(
      runToOne<Settings>(async ({ service, caller, options }) => {
        const { providedId: provided_id, name } = options;
        const dto = checkedDto(CreateRegistryEntryRequest, { provided_id, name });
        return respond(await service.register(caller, kind, dto));
      }),
    );

  list<Settings>(
    `list the ${kind.name}s of a workspace`,
    async ({ service, caller, options }, page) => {
      // An empty id counts as not given.
      const query = toBody({ ...page, provided_id: options.providedId || undefined });
      const { rows, ...next } = await service.list(
        caller,
        kind,
        checkedDto(RegistryQueryDto, query),
      );
      return { success: 1, [`${type}s`]: rows, ...next };
    },
  ).option('--provided-id <id>', 'only the entry with this provided id');

  show(`show one ${kind.name}`, async ({ service, caller, id }) =>
    respond(await service.get(caller, kind, id)),
  );

  about('update', `rename a ${kind.name}`, '--name Sales')
    .requiredOption('--name <name>', 'its name for people')
    .action(
      runToOne<Settings>(async ({ service, caller, options: { name }, id }) =>
        respond(
          await service.rename(caller, kind, id, checkedDto(UpdateRegistryEntryRequest, { name })),
        ),
      ),
    );

  end(
    'delete',
    `delete a ${kind.name} that nothing refers to`,
    'deleted',
    ({ service, caller, id }) => service.remove(caller, kind, id),
  );
}

import type { Command } from 'commander';
import { checkedDto } from '../../common/json/to-dto.ts';
import {
  CreateRegistryEntryRequest,
  RegistryQueryDto,
  UpdateRegistryEntryRequest,
} from '../../registry/things/dto/registered.dto.ts';
import type { RegisteredView } from '../../registry/things/dto/registered-response.dto.ts';
import { dataSourceKind, type RegisteredKind, schemaKind } from '../../registry/things/registered-kind.ts';
import { RegistryService } from '../../registry/things/registry.service.ts';
import { resourceCommand, toBody, toCell } from '../resource-command.ts';

interface Settings {
  providedId?: string;
  name: string;
  workspace: string;
}

export function defineSchema(schema: Command): void {
  defineKind(schema, schemaKind);
}

export function defineDataSource(dataSource: Command): void {
  defineKind(dataSource, dataSourceKind);
}

function defineKind(group: Command, kind: RegisteredKind): void {
  const { subcommand, about, run, print, list, show } = resourceCommand(group, {
    noun: kind.name,
    service: RegistryService,
    columns: {
      ID: ({ id }: RegisteredView) => id,
      'PROVIDED ID': ({ provided_id }) => provided_id,
      NAME: ({ name }) => name,
      CREATED: ({ created_at }) => toCell(created_at),
      CHANGED: ({ updated_at }) => toCell(updated_at),
    },
  });

  subcommand('create', `register a ${kind.name}`)
    .requiredOption('--provided-id <id>', 'your own id of it, which cannot be changed')
    .requiredOption('--name <name>', 'its name for people')
    .action(
      run<Settings>(async ({ service, caller, options }) => {
        const { providedId: provided_id, name } = options;
        const dto = checkedDto(CreateRegistryEntryRequest, { provided_id, name });
        print([await service.register(caller, kind, dto)]);
      }),
    );

  list<Settings>(`list the ${kind.name}s of a workspace`, ({ service, caller, options }, { cursor }) => {
    // An empty id is none.
    const query = toBody({ provided_id: options.providedId || undefined, cursor });
    return service.list(caller, kind, checkedDto(RegistryQueryDto, query));
  }).option('--provided-id <id>', 'only the one with this id of yours');

  show(`show one ${kind.name}`, ({ service, caller, id }) => service.get(caller, kind, id));

  about('update', `rename a ${kind.name}`)
    .requiredOption('--name <name>', 'its name for people')
    .action(
      run<Settings>(async ({ service, caller, options, id }) => {
        const { name } = options;
        print([await service.rename(caller, kind, id, checkedDto(UpdateRegistryEntryRequest, { name }))]);
      }),
    );

  about('delete', `delete a ${kind.name} that nothing refers to`).action(
    run(async ({ service, caller, id }) => {
      await service.remove(caller, kind, id);
      console.error(`The ${kind.name} ${id} is deleted.`);
    }),
  );
}

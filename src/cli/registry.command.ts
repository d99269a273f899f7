import { type Command, InvalidArgumentError } from 'commander';
import { type Caller, operator } from '../common/caller.ts';
import { checkedDto } from '../common/json/to-dto.ts';
import { RegisterDto, RegistryQueryDto, RenameDto } from '../registry/things/dto/registered.dto.ts';
import type { RegisteredView } from '../registry/things/dto/registered-answer.dto.ts';
import {
  dataSourceKind,
  type RegisteredKind,
  schemaKind,
} from '../registry/things/registered-kind.ts';
import { RegistryService } from '../registry/things/registry.service.ts';
import { WorkspaceService } from '../workspace/workspace.service.ts';
import { printTable } from './print-table.ts';
import { withServices } from './with-services.ts';

interface Settings {
  providedId?: string;
  name: string;
  workspace: string;
}

/** Defines `create`, `list`, `show`, `update` and `delete` of `schema`. */
export function defineSchema(schema: Command): void {
  defineKind(schema, schemaKind);
}

/** Defines the same of `data-source`. */
export function defineDataSource(dataSource: Command): void {
  defineKind(dataSource, dataSourceKind);
}

function defineKind(group: Command, kind: RegisteredKind): void {
  const subcommand = (name: string, description: string) =>
    group
      .command(name)
      .description(description)
      .option('--workspace <name>', `whose ${kind.name} it is`, 'default');
  const about = (name: string, description: string) =>
    subcommand(name, description).argument('<id>', `see "${group.name()} list"`, parseId);

  subcommand('create', `register a ${kind.name}`)
    .requiredOption('--provided-id <id>', 'your own id of it, which cannot be changed')
    .requiredOption('--name <name>', 'its name for people')
    .action(({ workspace, providedId: provided_id, name }: Settings) =>
      withRegistry(workspace, async (registry, caller) => {
        const dto = checkedDto(RegisterDto, { provided_id, name });
        print([await registry.register(caller, kind, dto)]);
      }),
    );

  subcommand('list', `list the ${kind.name}s of a workspace`)
    .option('--provided-id <id>', 'only the one with this id of yours')
    .action(({ workspace, providedId }: Settings) =>
      withRegistry(workspace, async (registry, caller) => {
        print(await listAll(registry, caller, kind, providedId));
      }),
    );

  about('show', `show one ${kind.name}`).action((id: number, { workspace }: Settings) =>
    withRegistry(workspace, async (registry, caller) => {
      console.log(JSON.stringify(await registry.get(caller, kind, id), null, 2));
    }),
  );

  about('update', `rename a ${kind.name}`)
    .requiredOption('--name <name>', 'its name for people')
    .action((id: number, { workspace, name }: Settings) =>
      withRegistry(workspace, async (registry, caller) => {
        print([await registry.rename(caller, kind, id, checkedDto(RenameDto, { name }))]);
      }),
    );

  about('delete', `delete a ${kind.name} that nothing refers to`).action(
    (id: number, { workspace }: Settings) =>
      withRegistry(workspace, async (registry, caller) => {
        await registry.remove(caller, kind, id);
        console.error(`The ${kind.name} ${id} is deleted.`);
      }),
  );
}

function withRegistry(
  workspace: string,
  work: (registry: RegistryService, caller: Caller) => Promise<void>,
): Promise<void> {
  return withServices(async (app) => {
    const { id } = await app.get(WorkspaceService).getByName(workspace);
    await work(app.get(RegistryService), operator(id));
  });
}

async function listAll(
  registry: RegistryService,
  caller: Caller,
  kind: RegisteredKind,
  providedId: string | undefined,
): Promise<RegisteredView[]> {
  const all: RegisteredView[] = [];
  const query = checkedDto(RegistryQueryDto, { ...(providedId && { provided_id: providedId }) });
  do {
    const { rows, nextCursor } = await registry.list(caller, kind, query);
    all.push(...rows);
    query.cursor = nextCursor;
  } while (query.cursor !== undefined);
  return all;
}

function print(rows: RegisteredView[]): void {
  printTable(
    ['ID', 'PROVIDED ID', 'NAME', 'CREATED', 'CHANGED'],
    rows.map((row) => [
      row.id,
      row.provided_id,
      row.name,
      ...[row.created_at, row.updated_at].map((time) => time.replace(/\.\d+Z$/, 'Z')),
    ]),
  );
}

function parseId(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new InvalidArgumentError('Use the number in the first column.');
  return Number(text);
}

import type { Command } from 'commander';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import { IntrospectionRequest } from './dto/introspect.dto.ts';
import { GroupViewService } from './group-view.service.ts';
import { IntrospectionService } from './introspection.service.ts';
import { type Printing, printOne } from '../../platform/command-line/output.ts';
import { readInput, STANDARD_INPUT } from '../../platform/command-line/read-input.ts';
import { toBody } from '../../platform/command-line/resource-command.ts';
import { withResult } from '../../platform/command-line/subcommand.ts';

interface Settings extends Printing {
  workspace: string;
  schemaId?: string;
}

export function defineIntrospect(command: Command, { withWorkspace }: CommandServices): void {
  withResult(command, 'introspect < token.txt', 'token')
    .argument(
      '[token]',
      'a user-group token or an embed token; read from standard input if not given',
      STANDARD_INPUT,
    )
    .option('--schema-id <id>', 'show only the mapping of this schema')
    .action((given: string, options: Settings) =>
      withWorkspace(
        options.workspace,
        async (app, caller) => {
          const token = given === STANDARD_INPUT ? String(await readInput(given)).trim() : given;
          const body = toBody({ token, schema_id: options.schemaId });
          const dto = checkedDto(IntrospectionRequest, body);
          printOne(options, await app.get(IntrospectionService).introspect(caller, dto, true));
        },
        { rightKeys: true },
      ),
    );
}

export function defineGroupView(command: Command, { withWorkspace }: CommandServices): void {
  withResult(command, 'group view acme-emea', 'group')
    .argument('<id>', 'your own id of the group')
    .action((id: string, options: Printing & { workspace: string }) =>
      withWorkspace(
        options.workspace,
        async (app, caller) => {
          printOne(options, await app.get(GroupViewService).get(caller, id), 'view');
        },
        { rightKeys: true },
      ),
    );
}

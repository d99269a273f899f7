import type { Command } from 'commander';
import { text } from 'node:stream/consumers';
import { checkedDto } from '../../../platform/common/json/to-dto.ts';
import { InspectTokenRequest } from '../../../features/inspection/dto/inspection.dto.ts';
import { InspectionService } from '../../../features/inspection/inspection.service.ts';
import { IntrospectionRequest } from '../../../core/introspection/dto/introspect.dto.ts';
import { IntrospectionService } from '../../../core/introspection/introspection.service.ts';
import { outputOption, type Printing, printOne } from '../output.ts';
import { toBody } from '../resource-command.ts';
import { withExample, withWorkspaceOption } from '../subcommand.ts';
import { withKeys } from '../with-services.ts';

const STANDARD = '-';

interface Settings extends Printing {
  workspace: string;
  schemaId?: string;
}

export function defineIntrospect(command: Command): void {
  withWorkspaceOption(withExample(command, 'introspect < token.txt'), 'token')
    .addOption(outputOption())
    .argument(
      '[token]',
      'a user-group token or an embed token; read from standard input if not given',
      STANDARD,
    )
    .option('--schema-id <id>', 'show only what the mapping says of this schema')
    .action((given: string, options: Settings) =>
      withKeys(options.workspace, async (app, caller) => {
        const token = given === STANDARD ? (await text(process.stdin)).trim() : given;
        const dto = checkedDto(
          IntrospectionRequest,
          toBody({ token, schema_id: options.schemaId }),
        );
        printOne(options, await app.get(IntrospectionService).introspect(caller, dto, true));
      }),
    );
}

export function defineInspect(command: Command): void {
  withWorkspaceOption(withExample(command, 'inspect < token.txt'), 'token')
    .addOption(outputOption())
    .action((options: Printing & { workspace: string }) =>
      withKeys(options.workspace, async (app, caller) => {
        // From standard input alone: arguments are visible to every process of the machine.
        const { token } = checkedDto(InspectTokenRequest, {
          token: (await text(process.stdin)).trim(),
        });
        printOne(options, await app.get(InspectionService).inspect(caller, token), 'inspection');
      }),
    );
}

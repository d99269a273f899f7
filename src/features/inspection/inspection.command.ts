import type { Command } from 'commander';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import { type Printing, printOne } from '../../platform/command-line/output.ts';
import { readInput, STANDARD_INPUT } from '../../platform/command-line/read-input.ts';
import { withResult } from '../../platform/command-line/subcommand.ts';
import { InspectTokenRequest } from './dto/inspection.dto.ts';
import { InspectionService } from './inspection.service.ts';

export function defineInspect(command: Command, { withWorkspace }: CommandServices): void {
  withResult(command, 'inspect < token.txt', 'token').action(
    (options: Printing & { workspace: string }) =>
      withWorkspace(
        options.workspace,
        async (app, caller) => {
          // From standard input alone: arguments are visible to every process of the machine.
          const { token } = checkedDto(InspectTokenRequest, {
            token: String(await readInput(STANDARD_INPUT)).trim(),
          });
          printOne(options, await app.get(InspectionService).inspect(caller, token), 'inspection');
        },
        { rightKeys: true },
      ),
  );
}

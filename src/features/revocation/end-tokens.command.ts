import type { Command } from 'commander';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import { type Printing, printOne } from '../../platform/command-line/output.ts';
import { parseList, toBody } from '../../platform/command-line/resource-command.ts';
import { withResult } from '../../platform/command-line/subcommand.ts';
import { EndTokensRequest } from './dto/end-tokens.dto.ts';
import { EndTokensService } from './end-tokens.service.ts';

interface Ending extends Printing {
  kinds: string;
  reason: string;
  before?: string;
  dryRun?: true;
}

export function defineEndTokens(command: Command, { withWorkspace }: CommandServices): void {
  withResult(command, 'workspace end-tokens acme --kinds user_group_token --reason leaked')
    .argument('[name]', 'name of the workspace', 'default')
    .requiredOption('--kinds <list>', 'user_group_token, embed_token, or both')
    .requiredOption('--reason <text>', 'reason, for the audit log')
    .option('--before <time>', 'a moment in RFC 3339; now if not given')
    .option('--dry-run', 'say how many tokens would end, and end none')
    .action((name: string, { kinds, reason, before, dryRun, ...options }: Ending) =>
      withWorkspace(name, async (app, caller) => {
        const body = checkedDto(
          EndTokensRequest,
          toBody({ kinds: parseList(kinds), reason, before, dry_run: dryRun }),
        );
        printOne(options, await app.get(EndTokensService).end(caller, body), 'ended_tokens');
      }),
    );
}

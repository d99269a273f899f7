import type { Command } from 'commander';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { Preconditions } from '../../platform/common/http/parameters/preconditions.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import { type Printing, printOne, printPart } from '../../platform/command-line/output.ts';
import type { Columns } from '../../platform/command-line/print-table.ts';
import { readPages } from '../../platform/command-line/read-pages.ts';
import { toCell, toId } from '../../platform/command-line/resource-command.ts';
import { withResult } from '../../platform/command-line/subcommand.ts';
import { VersionsQueryDto } from './dto/versions-query.dto.ts';
import type { VersionView } from './dto/versions-response.dto.ts';
import { UserGroupHistory } from './user-group-history.service.ts';

interface GroupOptions extends Printing {
  workspace: string;
}

const versionColumns: Columns<VersionView> = {
  VERSION: ({ version }) => version,
  'TEAM ID': ({ team_id }) => team_id,
  RECORDED: ({ recorded_at }) => toCell(recorded_at),
  REPLACED: ({ replaced_at }) => toCell(replaced_at),
  CHANGE: ({ change }) => change ?? '-',
  CHANGED: ({ changed }) => changed.join(', '),
  NAME: ({ name }) => name,
};

const UNCONDITIONAL = new Preconditions(undefined, undefined);

export function defineHistory(command: Command, { withWorkspace }: CommandServices): void {
  ofGroup(command, 'group history acme-emea').action((id: string, options: GroupOptions) =>
    withWorkspace(options.workspace, async (app, caller) => {
      const history = app.get(UserGroupHistory);
      const read = (page: object) => history.list(caller, id, checkedDto(VersionsQueryDto, page));
      printPart(options, await readPages('versions', Infinity, read), 'versions', versionColumns);
    }),
  );
}

export function defineRestore(command: Command, { withWorkspace }: CommandServices): void {
  ofGroup(command, 'group restore acme-emea --state 3')
    .requiredOption(
      '--state <number>',
      'the number of the state, as `group history` shows it',
      toId,
    )
    .action((id: string, options: GroupOptions & { state: number }) =>
      withWorkspace(
        options.workspace,
        async (app, caller) => {
          const { body } = await app
            .get(UserGroupHistory)
            .restore(caller, id, options.state, {}, UNCONDITIONAL);
          printOne(options, body, 'user_group');
        },
        { rightKeys: true },
      ),
    );
}

function ofGroup(command: Command, example: string): Command {
  return withResult(command, example, 'group').argument('<id>', 'your own id of the group');
}

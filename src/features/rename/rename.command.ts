import type { Command } from 'commander';
import { requirePossibleId } from '../../core/user-group/group/provided-id.ts';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { Preconditions } from '../../platform/common/http/parameters/preconditions.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import { type Printing, printOne } from '../../platform/command-line/output.ts';
import { withResult } from '../../platform/command-line/subcommand.ts';
import { RenameUserGroupRequest } from './rename.dto.ts';
import { UserGroupRenames } from './rename.service.ts';

const UNCONDITIONAL = new Preconditions(undefined, undefined);

export function defineRename(command: Command, { withWorkspace }: CommandServices): void {
  withResult(command, 'group rename acme-emea acme-emea-2030', 'group')
    .argument('<id>', 'your own id of the group')
    .argument('<new-id>', 'the id that it gets')
    .action((id: string, newId: string, options: Printing & { workspace: string }) =>
      withWorkspace(
        options.workspace,
        async (app, caller) => {
          requirePossibleId(id);
          const { provided_id } = checkedDto(RenameUserGroupRequest, { provided_id: newId });
          const { body } = await app
            .get(UserGroupRenames)
            .rename(caller, id, provided_id, UNCONDITIONAL);
          printOne(options, body, 'user_group');
        },
        { rightKeys: true },
      ),
    );
}

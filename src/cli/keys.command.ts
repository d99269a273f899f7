import type { Command } from 'commander';
import { OperatorError } from '../common/operator-error';
import { EncryptionKeyService } from '../user-group/keys/encryption-key.service';
import { TokenRewrapper } from '../user-group/keys/token-rewrapper';
import { printTable } from './print-table';
import { showProgress } from './show-progress';
import { withServices } from './with-services';

/** Defines `keys status`, `keys rewrap` and `keys forget`. */
export function defineKeys(keys: Command): void {
  keys
    .command('status')
    .description('list the keys, how many tokens each has encrypted, and how often it was used')
    .action(() =>
      withServices(async (app) => {
        const rows = await app.get(EncryptionKeyService).status();
        printTable(
          ['KEY', 'TOKENS', 'STATE', 'ENCRYPTIONS'],
          rows.map(({ id, tokens, state, encryptions }) => [id, tokens, state, encryptions]),
        );
      }),
    );

  keys
    .command('rewrap')
    .description('encrypt every token with the first key; can be interrupted and repeated')
    .action(() =>
      withServices(async (app) => {
        const { rewrapped, unreadable } = await app.get(TokenRewrapper).rewrap(showProgress);
        console.error(`${tokens(rewrapped)} re-encrypted.`);
        if (unreadable > 0) {
          throw new OperatorError(
            `${tokens(unreadable)} could not be decrypted and stay as they are; see "keys status".`,
          );
        }
      }),
    );

  keys
    .command('forget')
    .description('give up a key that is lost for ever, so that the server starts without it')
    .argument('<id>', 'see "keys status"')
    .option('--yes', 'do it, instead of saying what would happen')
    .action((id: string, { yes }: { yes?: true }) =>
      withServices(async (app) => {
        const keys = app.get(EncryptionKeyService);
        if (!yes) {
          throw new OperatorError(
            `Forgetting the key "${id}" affects ${tokens(await keys.countLost(id))}: valid still, but not shown any more until rotated. Nothing was changed; repeat with --yes to forget it.`,
          );
        }
        const lost = await keys.forget(id);
        console.error(`The key "${id}" is forgotten, and with it ${tokens(lost)}.`);
      }),
    );
}

function tokens(count: number): string {
  return count === 1 ? '1 token' : `${count} tokens`;
}

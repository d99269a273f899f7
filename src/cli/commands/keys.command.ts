import type { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { OperatorError } from '../../common/problem/operator-error.ts';
import { VaultTransit } from '../../encryption-key/vault-transit.ts';
import { type Encrypted, EncryptionKeyService } from '../../key-administration/encryption-key.service.ts';
import { TokenRewrapper } from '../../key-administration/token-rewrapper.ts';
import { WebhookSecretRewrapper } from '../../key-administration/webhook-secret-rewrapper.ts';
import { configure } from '../configure.ts';
import { printTable } from '../print-table.ts';
import { showProgress } from '../show-progress.ts';
import { withServices } from '../with-services.ts';

export function defineKeys(keys: Command): void {
  keys
    .command('create')
    .description('print a new key for TOKEN_ENCRYPTION_KEYS; stores nothing')
    .argument('<id>', '1-32 of A-Z a-z 0-9 _ -, never used before')
    .option('--wrapped', 'made and wrapped by Vault, which alone can unwrap it')
    .action(async (id: string, { wrapped }: { wrapped?: true }) => {
      if (!/^[\w-]{1,32}$/.test(id)) {
        throw new OperatorError('The id of a key is 1-32 of A-Z a-z 0-9 _ -.');
      }
      const config = await configure({ needsKeys: false });
      const key = wrapped ? await new VaultTransit(config).createWrapped() : randomBytes(32).toString('base64');
      console.log(`${id}:${key}`);
    });

  keys
    .command('status')
    .description('list the keys, what each has encrypted, and how often it was used')
    .action(() =>
      withServices(async (app) => {
        const rows = await app.get(EncryptionKeyService).status();
        printTable(
          ['KEY', 'TOKENS', 'STATE', 'ENCRYPTIONS', 'ENDPOINTS'],
          rows.map((row) => [row.id, row.tokens, row.state, row.encryptions, row.endpoints]),
        );
      }),
    );

  keys
    .command('rewrap')
    .description('encrypt everything with the first key; can be interrupted and repeated')
    .action(() =>
      withServices(async (app) => {
        const { rewrapped, unreadable } = await app.get(TokenRewrapper).rewrap(showProgress);
        const endpoints = await app.get(WebhookSecretRewrapper).rewrap();
        console.error(`${told({ tokens: rewrapped, endpoints: endpoints.rewrapped })} re-encrypted.`);
        if (unreadable + endpoints.unreadable > 0) {
          throw new OperatorError(
            `${told({ tokens: unreadable, endpoints: endpoints.unreadable })} could not be decrypted and stay as they are; see "keys status".`,
          );
        }
      }),
    );

  keys
    .command('forget')
    .description('give up a lost key, so that the server starts without it')
    .argument('<id>', 'see "keys status"')
    .option('--yes', 'do it, instead of saying what would happen')
    .action((id: string, { yes }: { yes?: true }) =>
      withServices(async (app) => {
        const keys = app.get(EncryptionKeyService);
        if (!yes) {
          throw new OperatorError(
            `Forgetting the key "${id}" affects ${told(await keys.countLost(id))}: tokens stay valid but are not shown any more until rotated, and nothing is sent to endpoints until their secrets are rolled. Nothing was changed; repeat with --yes to forget it.`,
          );
        }
        const lost = await keys.forget(id);
        console.error(`The key "${id}" is forgotten, and with it ${told(lost)}.`);
      }),
    );
}

function told({ tokens, endpoints }: Encrypted): string {
  const ofWebhooks = endpoints === 0 ? '' : ` and ${counted(endpoints, 'webhook endpoint')}`;
  return `${counted(tokens, 'token')}${ofWebhooks}`;
}

function counted(count: number, thing: string): string {
  return count === 1 ? `1 ${thing}` : `${count} ${thing}s`;
}

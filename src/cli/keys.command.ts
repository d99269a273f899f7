import type { Command } from 'commander';
import { OperatorError } from '../common/operator-error.ts';
import { type Encrypted, EncryptionKeyService } from '../user-group/keys/encryption-key.service.ts';
import { TokenRewrapper } from '../user-group/keys/token-rewrapper.ts';
import { WebhookSecretRewrapper } from '../webhook/endpoint/webhook-secret-rewrapper.ts';
import { printTable } from './print-table.ts';
import { showProgress } from './show-progress.ts';
import { withServices } from './with-services.ts';

/** Defines `keys status`, `keys rewrap` and `keys forget`. */
export function defineKeys(keys: Command): void {
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
        console.error(
          `${told({ tokens: rewrapped, endpoints: endpoints.rewrapped })} re-encrypted.`,
        );
        if (unreadable + endpoints.unreadable > 0) {
          throw new OperatorError(
            `${told({ tokens: unreadable, endpoints: endpoints.unreadable })} could not be decrypted and stay as they are; see "keys status".`,
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

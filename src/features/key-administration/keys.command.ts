import { type Command, InvalidArgumentError } from 'commander';
import { randomBytes } from 'node:crypto';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { OperatorError, OperatorRefusal } from '../../platform/common/problem/operator-error.ts';
import { VaultTransit } from '../../core/encryption-key/vault-transit.ts';
import { type Encrypted, EncryptionKeyService, type KeyStatus } from './encryption-key.service.ts';
import { SecretRewrapper } from './secret-rewrapper.ts';
import { TokenRewrapper } from './token-rewrapper.ts';
import { configure } from '../../platform/command-line/configure.ts';
import {
  printDone,
  type Printing,
  printList,
  printSecret,
} from '../../platform/command-line/output.ts';
import { endProgress, showProgress } from '../../platform/command-line/show-progress.ts';
import { subcommandOf } from '../../platform/command-line/subcommand.ts';

export function defineKeys(keys: Command, { withServices }: CommandServices): void {
  subcommandOf(keys, 'create', 'print a new key for TOKEN_ENCRYPTION_KEYS; stores nothing', 'k2')
    .argument('<id>', '1-32 of A-Z a-z 0-9 _ -, never used before', parseId)
    .option('--wrapped', 'let Vault make and wrap the key; only Vault can unwrap it')
    .action(async (id: string, options: Printing & { wrapped?: true }) => {
      const { wrapped } = options;
      const config = await configure({ needsKeys: false });
      const key = wrapped
        ? await new VaultTransit(config).createWrapped()
        : randomBytes(32).toString('base64');
      const made = { id, key: `${id}:${key}` };
      printSecret(
        options,
        { success: 1, encryption_key: made },
        'encryption_key',
        `Key "${id}":`,
        made.key,
      );
    });

  subcommandOf(
    keys,
    'status',
    'list the keys, what each has encrypted, and how often it was used',
  ).action((options: Printing) =>
    withServices(async (app) => {
      const encryption_keys = await app.get(EncryptionKeyService).status();
      printList<KeyStatus>(
        options,
        { success: 1, encryption_keys, has_more: false },
        'encryption_keys',
        {
          KEY: ({ id }) => id,
          TOKENS: ({ tokens }) => tokens,
          STATE: ({ state }) => state,
          ENCRYPTIONS: ({ encryptions }) => encryptions,
          ENDPOINTS: (row) => row.endpoints,
          TARGETS: (row) => row.targets,
          IMPORTS: (row) => row.imports,
        },
      );
    }),
  );

  subcommandOf(
    keys,
    'rewrap',
    'encrypt everything with the first key; can be interrupted and repeated',
  ).action((options: Printing) =>
    withServices(async (app) => {
      const { rewrapped, unreadable } = await app.get(TokenRewrapper).rewrap(showProgress);
      endProgress();
      const secrets = app.get(SecretRewrapper);
      const endpoints = await secrets.rewrapEndpoints();
      const targets = await secrets.rewrapTargets();
      const imports = await secrets.rewrapImports();
      const done = {
        tokens: rewrapped,
        endpoints: endpoints.rewrapped,
        targets: targets.rewrapped,
        imports: imports.rewrapped,
      };
      printDone(options, `${told(done)} re-encrypted.`, { success: 1, rewrapped: done });
      if (unreadable + endpoints.unreadable + targets.unreadable + imports.unreadable > 0) {
        const left = {
          tokens: unreadable,
          endpoints: endpoints.unreadable,
          targets: targets.unreadable,
          imports: imports.unreadable,
        };
        throw new OperatorError(
          `${told(left)} could not be decrypted and stay as they are; see "keys status".`,
        );
      }
    }),
  );

  subcommandOf(
    keys,
    'forget',
    'give up a lost key, so that the server starts without it',
    'k1 --yes',
  )
    .argument('<id>', 'see "keys status"')
    .option('--yes', 'forget the key, instead of saying what would happen')
    .action((id: string, options: Printing & { yes?: true }) =>
      withServices(async (app) => {
        const keys = app.get(EncryptionKeyService);
        if (!options.yes) {
          throw new OperatorRefusal(
            `Forgetting the key "${id}" affects ${told(await keys.countLost(id))}: tokens stay valid but are not shown any more until rotated, nothing is sent to endpoints until their secrets are rolled, targets issue nothing until their secrets are sent again, and imports that wait fail. Nothing was changed; repeat with --yes to forget it.`,
          );
        }
        const lost = await keys.forget(id);
        printDone(options, `The key "${id}" is forgotten, and with it ${told(lost)}.`, {
          success: 1,
          forgotten: lost,
        });
      }),
    );
}

function parseId(text: string): string {
  if (/^[\w-]{1,32}$/.test(text)) return text;
  throw new InvalidArgumentError('The id of a key is 1-32 of A-Z a-z 0-9 _ -.');
}

function told({ tokens, endpoints, targets, imports }: Encrypted): string {
  const others = [
    endpoints === 0 ? [] : counted(endpoints, 'webhook endpoint'),
    targets === 0 ? [] : counted(targets, 'target'),
    imports === 0 ? [] : counted(imports, 'part of imports', 'parts of imports'),
  ].flat();
  return [counted(tokens, 'token'), ...others].join(others.length > 1 ? ', ' : ' and ');
}

function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

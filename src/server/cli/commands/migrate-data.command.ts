import type { Command } from 'commander';
// Has the schema of every feature.
import '../../app/features.ts';
import { migrateData } from '../move/migrate-data.ts';
import { keysOfConfig } from '../../../core/encryption-key/standard-key-provider.ts';
import { KeyRing } from '../../../core/encryption-key/key-ring.ts';
import { checkSourceKeys } from '../../../features/key-administration/check-source-keys.ts';
import type { MovedTable } from '../move/table-copy.ts';
import { type Printing, printList } from '../../../platform/command-line/output.ts';
import { withResult } from '../../../platform/command-line/subcommand.ts';
import { endProgress, showProgress } from '../../../platform/command-line/show-progress.ts';
import { configure } from '../../../platform/command-line/configure.ts';

export function defineMigrateData(command: Command): void {
  withResult(command, 'migrate-data --data-dir ./data')
    .option('--data-dir <directory>', 'directory of the embedded database (default: DATA_DIR)')
    .action(async (options: Printing & { dataDir?: string }) => {
      const config = await configure();
      const from = options.dataDir ?? config.dataDir;
      const ring = new KeyRing((await keysOfConfig(config)) ?? []);
      const tables = await migrateData(config, from, {
        checkSource: (source) => checkSourceKeys(ring, source, from),
        onProgress: showProgress,
      });
      endProgress();
      printList<MovedTable>(options, { success: 1, tables, has_more: false }, 'tables', {
        TABLE: ({ name }) => name,
        ROWS: ({ rows }) => rows,
        'SHA-256': ({ digest }) => digest,
      });
      const total = tables.reduce((sum, { rows }) => sum + rows, 0);
      console.error(`${total} rows of ${tables.length} tables were copied, and are equal on both.`);
    });
}

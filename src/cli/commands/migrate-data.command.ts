import type { Command } from 'commander';
import { migrateData } from '../../database/move/migrate-data.ts';
import { configuredKeys } from '../../encryption-key/standard-key-provider.ts';
import { KeyRing } from '../../encryption-key/key-ring.ts';
import { checkSourceKeys } from '../../key-administration/check-source-keys.ts';
import { printTable } from '../print-table.ts';
import { showProgress } from '../show-progress.ts';
import { configure } from '../configure.ts';

export function defineMigrateData(command: Command): void {
  command
    .option('--data-dir <directory>', 'where the embedded database is (default: DATA_DIR)')
    .action(async ({ dataDir }: { dataDir?: string }) => {
      const config = await configure();
      const from = dataDir ?? config.dataDir;
      const ring = new KeyRing((await configuredKeys(config)) ?? []);
      const tables = await migrateData(config, from, {
        checkSource: (source) => checkSourceKeys(ring, source, from),
        onProgress: showProgress,
      });
      printTable(
        ['TABLE', 'ROWS', 'SHA-256'],
        tables.map(({ name, rows, digest }) => [name, rows, digest]),
      );
      const total = tables.reduce((sum, { rows }) => sum + rows, 0);
      console.error(`${total} rows of ${tables.length} tables were copied, and are equal on both.`);
    });
}

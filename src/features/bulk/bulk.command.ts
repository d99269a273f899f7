import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { constants } from 'node:os';
import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Caller } from '../../platform/common/access/caller.ts';
import { splitLines } from '../../platform/common/http/responses/lines.ts';
import { toNdjson } from '../../platform/common/http/responses/ndjson.ts';
import type { CommandServices } from '../../platform/common/extension/command.ts';
import { handOverSignals } from '../../platform/common/early-signals.ts';
import { OperatorError, OperatorRefusal } from '../../platform/common/problem/operator-error.ts';
import { checkedDto } from '../../platform/common/json/to-dto.ts';
import { PrivateFile } from '../../platform/common/secret/private-file.ts';
import { Config } from '../../platform/config/config.ts';
import { ExportUserGroupsRequest } from './dto/export.dto.ts';
import type { ImportSummary } from './dto/import-response.dto.ts';
import { UserGroupExporter } from './user-group-exporter.ts';
import { UserGroupImporter } from './user-group-importer.ts';
import {
  endProgress,
  printMessage,
  showCount,
  showProgress,
} from '../../platform/command-line/show-progress.ts';
import { unusable, usable } from '../../platform/command-line/read-input.ts';
import { linesForTerminal, toTerminalJson } from '../../platform/command-line/print-table.ts';
import { type Form, type Printing, printOne } from '../../platform/command-line/output.ts';
import {
  withExample,
  withResult,
  withWorkspaceOption,
} from '../../platform/command-line/subcommand.ts';

interface ImportSettings extends Printing {
  workspace: string;
  results?: string;
  dryRun?: true;
}

interface ExportSettings {
  workspace: string;
  withoutTokens?: true;
  set?: string;
  yaml?: true;
  force?: true;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const STANDARD = '-';

export function defineImport(command: Command, { withWorkspace }: CommandServices): void {
  withResult(command, 'group import groups.ndjson --results results.ndjson', 'groups')
    .argument('<file>', `lines as an export writes them; "${STANDARD}" reads standard input`)
    .option('--results <file>', 'write the result of each line to this file')
    .option('--dry-run', 'show what the import would do, and store nothing')
    .action((file: string, settings: ImportSettings) =>
      withWorkspace(settings.workspace, (app, caller) => importFrom(app, caller, file, settings), {
        rightKeys: true,
        mayMake: !settings.dryRun,
      }),
    );
}

export function defineExport(command: Command, { withWorkspace }: CommandServices): void {
  withWorkspaceOption(withExample(command, 'group export export.ndjson'), 'groups')
    .argument(
      '[file]',
      'the file to write, readable only by its owner; standard output if not given',
      STANDARD,
    )
    .option('--without-tokens', 'leave the tokens out')
    .option('--set <name>', 'only groups of this set, without tokens')
    .option('--yaml', 'write YAML, without tokens, as "group apply" reads it')
    .option('--force', 'replace an existing file')
    .action((file: string, settings: ExportSettings) =>
      withWorkspace(
        settings.workspace,
        (app, caller) => exportTo(app.get(UserGroupExporter), caller, file, settings),
        { rightKeys: true },
      ),
    );
}

async function importFrom(
  app: INestApplicationContext,
  caller: Caller,
  path: string,
  { output, results, dryRun }: ImportSettings,
): Promise<void> {
  const lines = splitLines(await openInput(path), app.get(Config).bodyLimit);
  const resultsFile =
    results === undefined ? undefined : await usable(results, () => openSync(results, 'w', 0o600));
  let last: ImportSummary | undefined;
  const query = dryRun ? { dry_run: 'true' as const } : {};
  for await (const resultLines of app.get(UserGroupImporter).run(caller, lines, query)) {
    if (resultsFile !== undefined) writeSync(resultsFile, toNdjson(resultLines));
    for (const line of resultLines) {
      if ('summary' in line) last = line;
      else if (line.success === 0 || line.token_replaced) printMessage(toTerminalJson(line));
    }
  }
  if (resultsFile !== undefined) closeSync(resultsFile);
  endProgress();
  if (dryRun && output === 'table') console.error('Nothing is stored. The import would do this:');
  report(last!, output);
}

/** @throws OperatorRefusal if any line was refused, OperatorError if not all were read */
function report(response: ImportSummary, output: Form): void {
  const { summary } = response;
  const { created, updated, unchanged, failed, complete, detail = '' } = summary;
  const replaced = summary.tokens_replaced;
  const ofTokens = replaced === 0 ? '' : ` Tokens replaced: ${replaced}.`;
  if (output !== 'table') printOne({ output }, response);
  else console.error(`${created} created, ${updated} updated, ${unchanged} unchanged.${ofTokens}`);
  if (!complete) throw new OperatorError(`The import has ended early; repeat it. ${detail}`);
  if (failed > 0) {
    throw new OperatorRefusal(`${failed} ${failed === 1 ? 'line was' : 'lines were'} refused.`);
  }
}

async function openInput(path: string): Promise<AsyncIterable<Buffer>> {
  if (path === STANDARD) return process.stdin;
  return usable(path, async () => {
    const file = await open(path);
    return withProgress(path, file, (await file.stat()).size);
  });
}

async function* withProgress(path: string, file: FileHandle, size: number): AsyncGenerator<Buffer> {
  let read = 0;
  try {
    for await (const chunk of file.createReadStream() as AsyncIterable<Buffer>) {
      yield chunk;
      read += chunk.length;
      showProgress(Math.min(read / size, 1));
    }
  } catch (error) {
    throw unusable(path, error);
  }
}

async function exportTo(
  exporter: UserGroupExporter,
  caller: Caller,
  path: string,
  {
    withoutTokens,
    set,
    yaml,
    force = false,
  }: Omit<ExportSettings, 'workspace' | 'force'> & { force?: boolean },
): Promise<void> {
  const isWithout = withoutTokens ?? yaml ?? set !== undefined;
  const query = checkedDto(ExportUserGroupsRequest, { include_tokens: !isWithout, set });
  const pages = exporter.run(caller, query);
  const toText = yaml ? await yamlWriter() : toNdjson;
  if (path === STANDARD) {
    const texts = asText(pages, yaml ? toText : (rows) => linesForTerminal(toText(rows)));
    await pipeline(texts, process.stdout, { end: false });
    return;
  }
  if (!force && existsSync(path)) throw alreadyThere(path);
  const file = await usable(path, () => new PrivateFile(path));
  // Otherwise the file would remain with the tokens exported so far.
  const interrupted = (signal: NodeJS.Signals) => {
    file.discard();
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.once(signal, interrupted);
  handOverSignals();
  try {
    let count = 0;
    for await (const rows of pages) {
      file.write(toText(rows));
      count += rows.length;
      showCount(count);
    }
  } catch (error) {
    file.discard();
    throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
  }
  endProgress();
  if (!file.keep({ replace: force })) throw alreadyThere(path);
}

async function* asText(
  pages: AsyncIterable<readonly object[]>,
  toText: (rows: readonly object[]) => string,
): AsyncGenerator<string> {
  for await (const rows of pages) yield toText(rows);
}

/** Returns what writes groups as entries of one list, without the summary. Any reader of YAML 1.1 or 1.2 reads the same. */
async function yamlWriter(): Promise<(rows: readonly object[]) => string> {
  const { stringify } = await import('yaml');
  const options = { compat: 'yaml-1.1', aliasDuplicateObjects: false, lineWidth: 0 } as const;
  return (rows) => {
    const groups = rows.filter((row) => !('summary' in row));
    return groups.length === 0 ? '' : stringify(groups, options);
  };
}

function alreadyThere(path: string): OperatorRefusal {
  return new OperatorRefusal(`The file ${path} exists already; use --force to replace it.`);
}

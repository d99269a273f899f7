// Compiles the library, and writes an API report for each of its entries to api/; with `--check` it writes
// nothing, and fails where one differs. It fails, too, when an export names a type that is not exported.
import console from 'node:console';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { compileLibrary, LIB } from '../package/library.mjs';
import { ENTRIES } from '../package/manifest.mjs';
import { REPORT, reportOf } from './report-names.mjs';

const API = 'api';
/**
 * Types that callers do not name: those of the document, which is held by itself, and those that the compiler
 * makes for a class that extends what a function returns.
 */
const NOT_EXPORTED = /"(components|operations|\w+_base)"/;

const root = process.cwd();
const isCheck = process.argv.includes('--check');
const temporary = mkdtempSync(join(tmpdir(), 'api-reports-'));
try {
  compileLibrary();
  const problems = Object.entries(ENTRIES).flatMap(([entry, path]) => writeReport(entry, path));
  for (const problem of problems) console.log(problem);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  rmSync(temporary, { recursive: true });
}

/** @returns its faults, in a line each */
function writeReport(entry, path) {
  const name = `${reportOf(entry)}${REPORT}`;
  const problems = extract(`${LIB}/${path}.d.ts`, name);
  const [made, committed] = [join(temporary, name), join(API, name)];
  const isCurrent =
    existsSync(committed) && readFileSync(committed, 'utf8') === readFileSync(made, 'utf8');
  if (!isCheck) copyFileSync(made, committed);
  else if (!isCurrent) problems.push(`${committed} is not up to date: run "npm run api".`);
  return problems;
}

function extract(entryPoint, reportFileName) {
  const problems = [];
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: join(root, entryPoint),
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          extends: './tsconfig.package.json',
          compilerOptions: { paths: {}, allowJs: false },
          files: [entryPoint],
        },
      },
      apiReport: {
        enabled: true,
        // The fields of a class that extends what a function returns.
        includeForgottenExports: reportFileName !== `client${REPORT}`,
        reportFileName,
        reportFolder: temporary,
        reportTempFolder: join(temporary, 'made'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        // A line in the report would be a change of it.
        extractorMessageReporting: {
          default: { logLevel: 'none' },
          'ae-forgotten-export': { logLevel: 'error' },
        },
        compilerMessageReporting: { default: { logLevel: 'error' } },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
  });
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback: (message) => {
      message.handled = true;
      if (message.logLevel !== 'error' || NOT_EXPORTED.test(message.text)) return;
      problems.push(`${message.sourceFilePath ?? entryPoint}: ${message.text}`);
    },
  });
  return problems;
}

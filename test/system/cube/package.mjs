import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { installOwn, tarballsOf } from '../lab/npm-tools.mjs';
import { OWN } from './installed.mjs';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PROGRAM = `
import { CachedIntrospector } from '@user-group-service/client';
import { type CubeConfiguration, userGroups } from '@user-group-service/cube';

class CubejsHandlerError extends Error {
  constructor(readonly status: number, readonly type: string, message: string) {
    super(message);
  }
}
const options = {
  introspector: new CachedIntrospector({ baseUrl: 'http://127.0.0.1:1', apiToken: 'uga_' }),
  schema: 'sales',
  audience: 'dashboards',
  dataSources: new Map([['warehouse-acme', { type: 'postgres', database: 'acme' }]]),
  CubejsHandlerError,
};
export const cube: CubeConfiguration = userGroups({
  ...options,
  declarations: { region: 'string' },
  filters: ({ region }, { groupId }) => [
    { member: 'sale.region', operator: 'equals', values: [region] },
    { or: [{ member: 'sale.group', operator: 'equals', values: [groupId] }] },
  ],
});
// @ts-expect-error a type that is none is an error of the compiler
userGroups({ ...options, declarations: { region: 'text' }, filters: () => [] });
// @ts-expect-error so is a filter without an operator
userGroups({ ...options, filters: () => [{ member: 'sale.region' }] });
// @ts-expect-error and an option that is misspelt
userGroups({ ...options, filter: () => [] });
`;

/** The tarball is published as others expect, and its types can be used. @returns figures @throws Violated */
export function isTyped() {
  const [, cube] = tarballsOf(OWN);
  const lint = join(ROOT, 'scripts', 'surface', 'lint-package.mjs');
  const app = temporaryDirectory();
  installOwn(app, OWN);
  writeFileSync(join(app, 'package.json'), '{"name":"app","private":true,"type":"module"}');
  writeFileSync(join(app, 'program.ts'), PROGRAM);
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    noUncheckedIndexedAccess: true,
    // A user who checks the types of libraries must be able to check these.
    skipLibCheck: false,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
  };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const findings = [
    [[lint, cube], ROOT],
    [[compiler], app],
  ].map(([args, cwd]) => spawnSync(process.execPath, args, { cwd, encoding: 'utf8' }));
  const faults = findings
    .filter(({ status, stdout }) => status !== 0 || stdout !== '')
    .map(({ stdout, stderr }) => `${stdout}${stderr}`);
  if (faults.length > 0) throw new Violated(faults);
  return 'neither publint, nor "Are the types wrong", nor the compiler has a finding';
}

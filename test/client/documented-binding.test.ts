import { join } from 'node:path';
import ts from 'typescript';
import * as client from '../../clients/typescript/index.ts';
import type { BoundStatement, RefusalCode, Viewer } from '../../clients/typescript/index.ts';
import { marked, read } from '../support/api/pages.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { letIntrospectorsWait } from '../support/time/patience.ts';

beforeAll(letIntrospectorsWait);

const root = join(import.meta.dirname, '..', '..');
const PAGE = 'docs/guides/renderers.md';

/** A program with what stands on the page: its imports, and one function of all else. */
function programOf(): string {
  const lines = [marked(PAGE, 'viewer'), marked(PAGE, 'bind')].join('\n').split('\n');
  const isImport = (line: string) => line.startsWith('import ');
  return `${lines.filter(isImport).join('\n')}
export async function show(token: unknown, emea: string, apac: string) {
  ${lines.filter((line) => !isImport(line)).join('\n')}
  return { viewer, text, values };
}`;
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: ['node'],
  skipLibCheck: true,
  paths: { '@user-group-service/client': [join(root, 'clients', 'typescript', 'index.ts')] },
};

/** Returns what the compiler says of a program that is in no file. */
function errorsOf(code: string): string[] {
  const name = join(root, 'test', 'client', 'documented.mts');
  const host = ts.createCompilerHost(options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...more) =>
    file === name
      ? ts.createSourceFile(file, code, ts.ScriptTarget.ES2022)
      : getSourceFile(file, ...more);
  const program = ts.createProgram([name], options, host);
  const file = program.getSourceFile(name);
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
    ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'),
  );
}

/** Closes itself, where that of the page lives as long as the process. */
class ClosedAfterwards extends client.CachedIntrospector {
  override async introspect(token: string) {
    try {
      return await super.introspect(token);
    } finally {
      this.close();
    }
  }
}

type Show = (token: unknown, ...dataSources: string[]) => Promise<BoundStatement & Shown>;
type Run = (require: () => object, exports: object, process: object) => void;
interface Shown {
  viewer: Viewer<string>;
}

function compiled(code: string, env: Record<string, string>): Show {
  const module = ts.ModuleKind.CommonJS;
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { module, target: ts.ScriptTarget.ES2022 },
  });
  const exports = {} as { show: Show };
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- it is the code of the page
  const run = new Function('require', 'exports', 'process', outputText) as Run;
  run(() => ({ ...client, CachedIntrospector: ClosedAfterwards }), exports, { env });
  return exports.show;
}

test('the code of "Build a renderer" compiles', () => {
  expect(errorsOf(programOf())).toEqual([]);
  expect(errorsOf(programOf().replace("schema: 'sales'", 'schema: 7'))).not.toEqual([]);
});

test('its code for row-level security compiles with the driver that it names', () => {
  const program = `import { type Viewer, withTenant } from '@user-group-service/client';
import type { Client, Pool, PoolClient } from 'pg';
export async function rowsOf(pool: Client | Pool | PoolClient, viewer: Viewer<string>) {
  ${marked(PAGE, 'rows')}
  return rows;
}`;
  expect(errorsOf(program)).toEqual([]);
  expect(errorsOf(program.replace('pool, viewer, (', 'viewer, pool, ('))).not.toEqual([]);
});

onEachDatabase((kind) => {
  const service = withService(kind);

  // A new workspace declares no variables, so its introspections have none.
  test('the code of "Build a renderer" shows a viewer of a new workspace, and then declared variables', async () => {
    const USER_GROUPS_URL = service.baseUrl;
    const show = compiled(programOf(), { USER_GROUPS_URL, RENDERER_TOKEN: service.bootstrapToken });
    const mapping = { sales: 'warehouse-apac' };
    const properties = { region: 'EMEA', seats: 25 };
    const { token } = await service.api.create({ user_group_id: 'acme', mapping, properties });
    const text = 'SELECT product FROM sale WHERE region = $1 LIMIT $2';
    expect(await show(token, 'the first', 'the second')).toMatchObject({
      viewer: { groupId: 'acme', dataSource: 'the second' },
      text,
      values: ['EMEA', 25],
    });
    const { token: unknown } = await service.api.create({ mapping: { sales: 'x' } });
    await expect(show(unknown)).rejects.toMatchObject({ code: 'data_source_unknown' });

    const variables = [
      { name: 'region', type: 'string', default: 'APAC' },
      { name: 'seats', type: 'integer', default: 5 },
    ];
    await service.api.call('PATCH', '/api/v1/workspace', { variables });
    const other = await service.api.create({ mapping, properties: { region: 'EMEA' } });
    expect(await show(other.token)).toMatchObject({ text, values: ['EMEA', 5] });
  });
});

test('the page has each code of a refusal, with its status', () => {
  const [, table = ''] = /### Refusals\n([^]*?)\n###? /.exec(read(PAGE))!;
  const shown = [...table.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, ...cells]) => cells);
  const source = read('clients/typescript/refusal.ts');
  const codes = [...source.matchAll(/^ {2}(\w+): \[\d/gm)].map(([, code]) => code as RefusalCode);
  expect(codes.length).toBeGreaterThan(7);
  expect(shown).toEqual(codes.map((code) => [code, `${new client.Refusal(code).status}`]));
});

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';
import typescript from 'typescript';
import { temporaryDirectory } from '../lab/processes.mjs';
import { AUDIENCE, OFFERS, ORIGIN, passedAllBut, runKit, startRenderer } from './kit.mjs';
import { configOf, makeRows } from './sabotage.mjs';
import { makeSales } from './sales.mjs';

const ROOT = new URL('../../../', import.meta.url);
const { ModuleKind, ScriptTarget } = typescript;

/** Renderers that are right. `command` is that of `startRenderer`, `config` describes the renderer to the kit. */
export const RENDERERS = {
  'examples/renderer': {
    command: ({ port, serviceUrl, apiToken }) => ({
      program: process.execPath,
      args: [pathOf('examples/renderer/server.mjs')],
      env: {
        SERVICE_URL: serviceUrl,
        API_TOKEN: apiToken,
        PORT: String(port),
        AUDIENCE,
        EMBEDDED_BY: ORIGIN,
        DATA_SOURCES_DIR: makeSales(temporaryDirectory()),
      },
    }),
    config: (service, renderer) => ({
      ...configOf(service, renderer, false),
      renderer: {
        url: `${renderer.url}/query`,
        body: { userGroupToken: '{token}' },
        page: `${renderer.url}/?userGroupToken={token}`,
        logs: [renderer.log],
      },
      tenants: [
        {
          data_source: 'warehouse-acme',
          properties: { region: 'EMEA', max_rows: 50 },
          shows: ['Tents', 'Stoves', 'Sleeping bags'],
        },
        {
          data_source: 'warehouse-globex',
          properties: { region: 'APAC', max_rows: 50 },
          shows: ['Sensors', 'Cables'],
        },
      ],
      sql: undefined,
    }),
    skips: ['sql-text', 'embed-variables', ...OFFERS],
    // It shows both on purpose, since it is an example.
    warned: ['trace-variables'],
  },
  'the configuration of the README': {
    command: (own) => RENDERERS['examples/renderer'].command(own),
    config: (service, renderer) => {
      const [, text] = /```json\n([\s\S]*?)```/.exec(
        readFileSync(pathOf('clients/conformance/README.md'), 'utf8'),
      );
      const printed = JSON.parse(
        text.replace('http://127.0.0.1:4000', renderer.url).replace('renderer.log', renderer.log),
      );
      return {
        ...printed,
        service: { url: service.url, api_token_env: 'KIT_API_TOKEN' },
        proxy: renderer.proxy,
      };
    },
    // It names neither a dashboard nor variables of a viewer.
    skips: [
      'sql-text',
      'trace-referrer',
      'workspace-other',
      'embed-resources',
      'embed-variables',
      'gateway-headers',
      ...OFFERS,
    ],
    warned: ['trace-variables'],
  },
  'examples/small-renderer/renderer.ts': small((own) => ({
    program: process.execPath,
    args: [compiled()],
    env: own,
  })),
  'examples/small-renderer/renderer.py': small((own) => ({
    program: process.env.PYTHON || '/usr/bin/python3',
    args: [pathOf('examples/small-renderer/renderer.py')],
    env: { ...own, PYTHONPATH: pathOf('clients/python'), PYTHONDONTWRITEBYTECODE: '1' },
  })),
};

/** @returns figures @throws Violated unless every check passes but those that are skipped */
export async function passes(service, { command, config, skips, warned = [] }) {
  const renderer = await startRenderer(service, command);
  try {
    const own = config(service, renderer);
    own.service.disposable_workspace = true;
    return passedAllBut(
      skips,
      await runKit(own, [], { OTHER_API_TOKEN: service.otherToken }),
      warned,
    );
  } finally {
    await renderer.stop();
  }
}

function small(command) {
  return {
    command: ({ port, serviceUrl, apiToken }) =>
      command({
        SERVICE_URL: serviceUrl,
        API_TOKEN: apiToken,
        PORT: String(port),
        ROWS: makeRows(),
        AUDIENCE,
        EMBEDDED_BY: ORIGIN,
      }),
    config: (service, renderer) => {
      const config = configOf(service, renderer, false);
      const { url, body, logs, gives_up_seconds } = config.renderer;
      return { ...config, renderer: { url, body, logs, gives_up_seconds }, sql: undefined };
    },
    skips: ['trace-referrer', 'sql-text', 'embed-variables', ...OFFERS],
  };
}

/** Compiles the renderer as its readers do; Node 20 does not read TypeScript. */
function compiled() {
  const directory = temporaryDirectory();
  const client = join(directory, 'node_modules', '@user-group-service', 'client');
  mkdirSync(client, { recursive: true });
  writeFileSync(join(client, 'package.json'), '{"type":"module","exports":"./index.js"}');
  writeFileSync(
    join(client, 'index.js'),
    `export * from ${JSON.stringify(new URL('dist/clients/typescript/index.js', ROOT).href)};`,
  );
  symlinkSync(
    pathOf('node_modules/better-sqlite3'),
    join(directory, 'node_modules', 'better-sqlite3'),
  );
  const source = readFileSync(pathOf('examples/small-renderer/renderer.ts'), 'utf8');
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
  const file = join(directory, 'renderer.mjs');
  writeFileSync(file, typescript.transpileModule(source, { compilerOptions }).outputText);
  return file;
}

function pathOf(name) {
  return fileURLToPath(new URL(name, ROOT));
}

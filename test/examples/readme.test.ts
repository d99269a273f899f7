import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '../support/processes.ts';

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
const EXAMPLE = /<!-- example -->\n```(\w+)\n([\s\S]*?)\n```\n\n```json\n([\s\S]*?)\n```/g;
const examples = [...readme.matchAll(EXAMPLE)].map(([, language, code, answer]) => ({
  language: language!,
  code: code!,
  answer: answer!,
}));

const interpreters: Record<string, [string, ...string[]]> = {
  sh: ['sh', '-c'],
  python: ['python3', '-c'],
  js: [process.execPath, '--input-type=module', '-e'],
};

let server: RunningServer;
let directory: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-readme-'));
  server = await startServer({ DATA_DIR: directory, BOOTSTRAP_API_TOKEN: '' });
  const TOKEN = readFileSync(join(directory, 'bootstrap-token'), 'utf8').trim();
  env = { ...process.env, BASE: server.baseUrl, TOKEN };
});

afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

test('the line that the first run prints works when it is pasted', () => {
  const ready = JSON.parse(/^.*"msg":"ready".*$/m.exec(server.output())![0]) as { try: string };
  const { stdout } = spawnSync('sh', ['-c', `${ready.try} -s`], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toMatchObject({ success: 1, new_user_group: true });
});

test('there are examples for curl, Python and Node', () => {
  expect(new Set(examples.map(({ language }) => language))).toEqual(new Set(['sh', 'python', 'js']));
});

test.each(examples)('$language example $# gives the answer shown', ({ language, code, answer }) => {
  const [command, ...args] = interpreters[language]!;
  const { stdout, stderr } = spawnSync(command, [...args, code], { env, encoding: 'utf8' });
  expect({ stderr: stderr.includes('Error'), answer: masked(stdout) }).toEqual({
    stderr: false,
    answer: masked(answer),
  });
});

const NEW_EACH_TIME = [
  ...['token', 'team_id', 'iat', 'id', 'last_four', 'created_at', 'updated_at'],
  ...['expires_at', 'kid', 'jti'],
];

/** Tokens, numbers and times are new in each database. */
function masked(answer: string): unknown {
  return JSON.parse(answer, (key, value: unknown) => (NEW_EACH_TIME.includes(key) ? typeof value : value));
}

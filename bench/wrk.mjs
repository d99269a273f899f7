/**
 * The second client: wrk, a program in C, which leaves more of the processors to what it measures. It does not know
 * which request a response is to, so it checks less than load.mjs: that each response is of the right kind.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { groupAt, headOf, introspectedOf } from './requests.mjs';

const SCRIPT = join(import.meta.dirname, 'wrk.lua');
/** Stands where each request has a value of its own. */
const GAP = '<value>';

const groupOf = (turn, _tokens, index) => groupAt(turn, index).user_group_id;
const tokenOf = (_turn, tokens, index) => tokens[index];
const introspection = {
  target: 'introspect',
  fields: { token: GAP },
  expected: '"active":true',
  value: tokenOf,
};
/** What is sent, what each correct response contains, and the value and the number of the groups; a creation has none. */
const plans = {
  'look-up': {
    target: 'look-up',
    fields: { user_group_id: GAP, name: 'Group' },
    expected: '"new_user_group":false',
    value: groupOf,
    groups: ({ groups }) => groups,
  },
  create: {
    target: 'create',
    fields: { user_group_id: `created-${GAP}`, name: 'Created' },
    expected: '"new_user_group":true',
    groups: () => 0,
  },
  rotate: {
    target: 'rotate',
    fields: { current_token: GAP },
    expected: '"success":1',
    value: tokenOf,
    groups: ({ groups }) => groups,
  },
  introspect: { ...introspection, groups: introspectedOf },
  'introspect-hot': { ...introspection, groups: ({ connections }) => connections },
};

export function isWrkInstalled() {
  return spawnSync('wrk', ['--version']).error === undefined;
}

/**
 * Runs one turn, of whole seconds. A rotation changes `tokens`; one whose response was lost with the end of the turn
 * leaves `undefined` there.
 * @param tokens of the groups, by their index
 * @param created how many groups were created before
 */
export async function runWrk(turn, tokens, created) {
  const { target, fields, expected, value, groups } = plans[turn.operation];
  const body = JSON.stringify(fields).split(GAP);
  const { stride = 1 } = turn;
  const lineOf = (_, index) => `${index * stride + 1} ${value(turn, tokens, index)}\n`;
  const entries = Array.from({ length: groups(turn) }, lineOf);
  const directory = mkdtempSync(join(tmpdir(), 'bench-wrk-'));
  try {
    const file = join(directory, 'entries');
    writeFileSync(file, entries.join(''));
    const script = [SCRIPT, `http://127.0.0.1:${turn.server.port}`, '--', turn.operation, file];
    const output = await run([
      '-t',
      '1',
      '-c',
      String(turn.connections),
      '-d',
      String(Math.ceil(turn.seconds)),
      '-s',
      ...script,
      String(created),
      headOf(turn, target),
      ...body,
      expected,
    ]);
    for (const [, number, token] of output.matchAll(/^token (\d+) (\w*)$/gm)) {
      tokens[(number - 1) / stride] = token || undefined;
    }
    return figuresOf(output);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function run(args) {
  const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([readAll(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`wrk ended with ${code}: ${output}`);
  return output;
}

function figuresOf(output) {
  const [, ...figures] = /^result (\d+) (\d+) (\d+) (\d+) (\d+)$/m.exec(output);
  const [requests, microseconds, ...percentiles] = figures.map(Number);
  const [, errors, firstError] = /^wrong (\d+) (.*)$/m.exec(output);
  const [p50Milliseconds, p95Milliseconds, p99Milliseconds] = percentiles.map(
    (percentile) => percentile / 1000,
  );
  return {
    requests,
    errors: Number(errors),
    refused: 0,
    firstError,
    seconds: microseconds / 1e6,
    p50Milliseconds,
    p95Milliseconds,
    p99Milliseconds,
  };
}

// Runs everything that must hold and prints how long each step takes: `.ci/run` before each merge, its lanes at once, and
// `npm run release:check` at full length, one step after the other.
//
//   node scripts/checks/run.mjs ci|release [part of a step's name]
import { spawn } from 'node:child_process';
import console from 'node:console';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';
import { BUILD, DRIVERS, PACKAGES, SERVICES, STEPS } from './steps.mjs';

const [kind, part = ''] = process.argv.slice(2);
/** A step that hangs ends after this multiple of its budget, and not before these seconds: a busy machine is slow. */
const PATIENCE = { factor: 10, seconds: 2400 };
const root = join(import.meta.dirname, '..', '..');
const logs = mkdtempSync(join(tmpdir(), 'user-groups-checks-'));
const running = new Set();
const results = [];
// The times that are promised count at full length, where one step runs at a time.
let env = { ...process.env, CI: 'true', ...(kind === 'release' && { LONG_TESTS: '1' }) };

async function main() {
  if (!['ci', 'release'].includes(kind)) throw new Error('say which: ci or release');
  const startedAt = performance.now();
  const foundations = kind === 'ci' ? [PACKAGES, SERVICES] : [SERVICES];
  await Promise.all(foundations.map(runStep));
  if (allHold()) await runStep(BUILD);
  if (allHold()) await runAll(STEPS.filter(({ name }) => name.includes(part)));
  report((performance.now() - startedAt) / 1000);
}

function allHold() {
  return results.every(({ code }) => code === 0);
}

/** Runs all of them, also after a failure: one run names all that fail. Without drivers, only those that need none. */
async function runAll(steps) {
  const drivers = kind === 'ci' ? runStep(DRIVERS) : 0;
  const lanes = new Map();
  for (const step of steps.filter(commandOf)) {
    const lane = kind === 'ci' ? step.lane : 'only';
    lanes.set(lane, [...(lanes.get(lane) ?? []), step]);
  }
  const ends = [...lanes.values()].map(async (lane) => {
    for (const step of lane) {
      if (step.isStatic || (await drivers) === 0) await runStep(step);
    }
  });
  await Promise.all([drivers, ...ends]);
}

function commandOf({ ci, release = ci }) {
  return kind === 'ci' ? ci : release;
}

/**
 * Runs a step. Its output goes to a file of its own; what a step that fails has said is printed as well.
 * @returns the exit code or the signal
 */
async function runStep(step) {
  const { name, seconds: budget } = step;
  const log = join(logs, `${name.replaceAll(/\W+/g, '-').toLowerCase()}.log`);
  console.log(`begins: ${name} (${log})`);
  const startedAt = performance.now();
  const { code, cpuSeconds } = await runCommand(commandOf(step), budget, log);
  const seconds = (performance.now() - startedAt) / 1000;
  results.push({ name, code, seconds, cpuSeconds, budget });
  const output = readFileSync(log, 'utf8');
  if (step === SERVICES) env = { ...env, ...variablesIn(output) };
  const leftOut = output.match(/^NOT CHECKED.*/gm) ?? [];
  if (code === 0) {
    console.log([`passed: ${name}, ${seconds.toFixed(0)} s`, ...leftOut].join('\n  '));
  } else console.log(`\n== FAILED (${code}): ${name}, ${seconds.toFixed(0)} s\n${output}\n`);
  return code;
}

/** @returns the exit code or the signal, and the CPU time with that of all children */
async function runCommand(command, budget, log) {
  const file = openSync(log, 'w');
  // `times` prints the times of the shell and of its children, in a line each.
  const child = spawn('bash', ['-c', `trap 'times >&3' EXIT; set -euo pipefail; ${command}`], {
    cwd: root,
    env,
    stdio: ['ignore', file, file, 'pipe'],
    // A group of its own, so that all of it can be ended.
    detached: true,
  });
  closeSync(file);
  running.add(child);
  let times = '';
  child.stdio[3].on('data', (chunk) => (times += chunk));
  const seconds = Math.max(budget * PATIENCE.factor, PATIENCE.seconds);
  const patience = setTimeout(() => end(child), seconds * 1000);
  const [code, signal] = await once(child, 'close');
  clearTimeout(patience);
  running.delete(child);
  return { code: code ?? signal, cpuSeconds: sumOf(times) };
}

function end(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** The seconds in the output of `times`, such as `1m2.500s`. */
function sumOf(times) {
  return [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, rest]) => sum + minutes * 60 + Number(rest),
    0,
  );
}

/** The variables of `export NAME=value …` in the output of the services. */
function variablesIn(output) {
  return Object.fromEntries(
    [...output.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  );
}

function report(seconds) {
  console.log('seconds | CPU seconds | budget | step');
  for (const { name, code, seconds: took, cpuSeconds, budget } of results) {
    const mark = [code === 0 ? '' : '  FAILED', took > budget ? '  above its budget' : ''].join('');
    const columns = [took, cpuSeconds, budget].map((figure) => figure.toFixed(0).padStart(7));
    console.log(`${columns.join(' | ')} | ${name}${mark}`);
  }
  const failed = results.filter(({ code }) => code !== 0);
  console.log(
    `${seconds.toFixed(0)} s: ${failed.length === 0 ? 'all of it holds' : `${failed.length} FAILED`}`,
  );
  if (failed.length > 0) process.exitCode = 1;
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(name, () => {
    for (const child of running) end(child);
    process.exit(1);
  });
}

await main();

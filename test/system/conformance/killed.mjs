import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Violated } from '../lab/report.mjs';
import { idsOf, runKit, startKit, startRenderer } from './kit.mjs';
import { configOf, rendererWith } from './sabotage.mjs';

const LIVE_SECONDS = 8;
/** The longest end that a check gives to a group of its own, on a busy machine. The default of other groups is far longer. */
const LONGEST_SECONDS = 30;
const CHECKS_BEFORE_THE_END = 4;
const STEP_MS = 50;
const LIMIT_MS = 100_000;

/**
 * Ends a run with SIGTERM, kills another one, and looks at what they leave.
 * @returns figures @throws Violated
 */
export async function leavesNothing(service) {
  const renderer = await startRenderer(service, rendererWith({}));
  const config = configOf(service, renderer, false, { groups_live_seconds: LIVE_SECONDS });
  try {
    const code = await interrupted(config, 'SIGTERM');
    const left = await groupsOf(service);
    if (code !== 143 || left.length > 0) {
      throw new Violated([`after SIGTERM: exit code ${code}, ${left.length} groups`]);
    }

    await interrupted(config, 'SIGKILL');
    const killedAt = performance.now();
    const leftNow = await groupsOf(service);
    if (leftNow.length === 0) throw new Violated(['after SIGKILL: no groups']);
    // A check suspends its group, which then has another status than one that has expired.
    const path = `/api/v1/user-groups/${leftNow[0].provided_id}/suspend`;
    const { status } = await service.api.send('POST', {}, path);
    if (status !== 200) throw new Error(`the suspension: ${status}`);
    await untilExpired(service, Date.now() + LONGEST_SECONDS * 1000);
    const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);

    const next = await runKit(config, ['--only', 'tenant-order'], { OTHER_API_TOKEN: 'none' });
    const after = await groupsOf(service);
    if (next.code !== 0 || after.length > 0) {
      throw new Violated([`the next run leaves ${after.length} groups`, next.stdout]);
    }
    return `none after SIGTERM; ${leftNow.length} after SIGKILL, expired ${seconds} s later, and removed by the next run (${idsOf(next.outcomes, 'passed').length} passed)`;
  } finally {
    await renderer.stop();
  }
}

/** Waits until the `valid_until` of each group has passed. A call of the killed run may create one after it. @throws Violated */
async function untilExpired(service, latest) {
  for (let next = 0; ;) {
    await sleep(Math.max(0, next - Date.now()) + STEP_MS);
    const lookedAt = Date.now();
    const lasting = (await groupsOf(service)).filter(
      ({ status, valid_until: end }) =>
        !['expired', 'suspended'].includes(status) || Date.parse(end) > lookedAt,
    );
    const ends = lasting.map(({ valid_until: end }) => Date.parse(end));
    if (ends.some((end) => !(end > lookedAt && end <= latest))) {
      throw new Violated([
        `${lasting.length} groups have outlived their valid_until, or live for too long`,
      ]);
    }
    if (lasting.length === 0) return;
    next = Math.max(...ends);
  }
}

/** Sends the signal in the middle of a run. @returns the exit code */
async function interrupted(config, signal) {
  const { child, output } = startKit(config, [], { OTHER_API_TOKEN: 'none' });
  const deadline = performance.now() + LIMIT_MS;
  while (output.stderr.split('\n').length <= CHECKS_BEFORE_THE_END) {
    if (child.exitCode !== null || performance.now() > deadline) {
      throw new Error(`the kit does not run: ${output.stderr}`);
    }
    await sleep(STEP_MS);
  }
  process.kill(child.pid, signal);
  const [code] = await once(child, 'close');
  return code;
}

export async function groupsOf({ api }) {
  const { body } = await api.send(
    'GET',
    {},
    '/api/v1/user-groups?limit=200&name_prefix=Conformance',
  );
  return body.user_groups;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { figuresOf, settle, Violated } from '../lab/report.mjs';
import { Installation } from './installation.mjs';

const BETWEEN_MS = 1000;

/** Kills replicas without warning, one after the other, and starts each again. */
export async function killEach({ kills }) {
  const installation = await Installation.start();
  const load = installation.load({ mayCut: true });
  const violations = [];
  try {
    for (let kill = 0; kill < kills; kill++) {
      const before = load.cut;
      await sleep(BETWEEN_MS);
      if (load.cut > before) violations.push(`${load.cut - before} cut while no replica died`);
      const { names } = installation;
      await killAndRestart(installation, names[kill % names.length], load);
      const cut = load.cut - before;
      if (cut > load.clients.length) violations.push(`${cut} cut by one death`);
    }
  } finally {
    load.over = true;
  }
  const applied = await settle(load, installation.cluster, installation.url);
  if (violations.length > 0) throw new Violated(violations);
  return (
    `${kills} kills, ${figuresOf(load)}; every cut call was under way at a killed replica; ` +
    `0 of the acknowledged writes lost, ${applied} of the cut ones applied`
  );
}

async function killAndRestart(installation, name, load) {
  await installation.servers[name].kill();
  await installation.proxy.until(name, 'DOWN');
  // After HAProxy has seen that a replica is gone, every call of it has been cut.
  await load.settled();
  const before = load.cut;
  await installation.replace(name);
  await installation.proxy.until(name, 'UP');
  if (load.cut > before) load.faults.push('a call was cut after HAProxy had noticed the death');
}

/** Ends replicas with SIGTERM, one after the other, and starts each again: nobody may notice. */
export async function restartEach({ restarts }) {
  const installation = await Installation.start();
  const load = installation.load();
  const codes = [];
  try {
    for (const name of installation.names.slice(0, restarts)) {
      await sleep(BETWEEN_MS);
      codes.push(await installation.servers[name].stop());
      await installation.replace(name);
      await installation.proxy.until(name, 'UP');
    }
    await sleep(BETWEEN_MS);
  } finally {
    load.over = true;
  }
  await settle(load, installation.cluster, installation.url);
  const failed = codes.filter((code) => code !== 0);
  if (failed.length > 0) throw new Violated([`${failed.length} replicas did not end with 0`]);
  return `${codes.length} restarts, ${figuresOf(load)}, no other answer than 200`;
}

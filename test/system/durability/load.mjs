import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../lab/api.mjs';
import { Create, Group, Rotation, Write } from './operations.mjs';

const STEP_MS = 5;

/**
 * Lets every client write, one request after the other, until the server is killed in the middle.
 * Adds what was acknowledged to `totals`; gives what should not have happened before the kill.
 */
export async function runUntilKilled(server, clients, delay, totals) {
  const load = { over: false, faults: [], totals };
  const api = new Api(server.url);
  const before = acknowledged(totals);
  const writing = clients.map((client) => client.run(api, load));
  const ended = Promise.all(writing).then(() => (load.over = true));
  // A server on a busy machine may take longer than the delay for its first response.
  while (!load.over && acknowledged(totals) === before) await sleep(STEP_MS);
  await Promise.race([sleep(delay), ended]);
  // From here on a request that gets no answer is one that was in flight.
  load.over = true;
  if (!(await server.kill())) load.faults.push('the server had ended before it was killed');
  await Promise.all(writing);
  api.close();
  return load.faults;
}

function acknowledged({ creates, writes, rotations }) {
  return creates + writes + rotations;
}

/** The only one who touches its groups, with one request at a time, so it knows what they must be. */
export class Client {
  groups = [];
  /** The groups of the latest load. */
  touched = new Set();
  /** The operation that was in flight at the kill, if any. */
  pending;

  constructor(number) {
    this.number = number;
    this.named = 0;
  }

  async run(api, load) {
    this.touched.clear();
    while (!load.over && load.faults.length === 0) {
      this.pending = this.next();
      this.touched.add(this.pending.group);
      if (!(await this.perform(api, load))) return;
    }
  }

  /** False if the operation was not acknowledged: then it stays pending. */
  async perform(api, load) {
    const operation = this.pending;
    let answer;
    try {
      answer = await api.send(operation.method, operation.body);
    } catch (error) {
      if (!load.over) load.faults.push(`${describe(operation)} got no answer: ${error.message}`);
      return false;
    }
    try {
      operation.acknowledge(answer);
    } catch (error) {
      load.faults.push(`${describe(operation)} ${error.message}`);
      return false;
    }
    load.totals[operation.kind]++;
    this.pending = undefined;
    if (operation instanceof Create) this.groups.push(operation.group);
    return true;
  }

  next() {
    const kind = this.groups.length === 0 ? 0 : randomInt(3);
    if (kind === 0) {
      return new Create(new Group(`client-${this.number}/group-${++this.named}`));
    }
    const group = this.groups[randomInt(this.groups.length)];
    return kind === 1 ? new Write(group) : new Rotation(group);
  }

  /** The operations of which nobody knows yet whether they were applied. */
  get unsettled() {
    return this.pending ? [this.pending] : [];
  }

  /** Takes what the restarted service has made of an unsettled operation; true if it was applied. */
  settle(operation, found) {
    this.pending = undefined;
    const applied = operation.settle(found);
    if (operation instanceof Create) {
      if (applied) this.groups.push(operation.group);
      else this.touched.delete(operation.group);
    }
    return applied;
  }
}

function describe({ method, group }) {
  return `${method} of ${group.id}`;
}

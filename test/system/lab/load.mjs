import { randomInt } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from './api.mjs';
import { Client } from '../durability/load.mjs';
import { Create } from '../durability/operations.mjs';
import { Introspection, LookUp } from './reads.mjs';

/** Between two calls of a client, so that the machine has time for the servers. */
const THINK_MS = 5;
/** Before a client tries again after it was refused. */
const RETRY_MS = 50;
const STEP_MS = 10;

/**
 * A client that goes on whatever happens to a call. A write that was not acknowledged may have been
 * applied, or be applied later, so its group is set aside until the ledger is compared.
 */
export class ResilientClient extends Client {
  #aside = new Set();

  get unsettled() {
    return [...this.#aside];
  }

  settle(operation, found) {
    this.#aside.delete(operation);
    if (!(operation instanceof Create)) this.groups.push(operation.group);
    return super.settle(operation, found);
  }

  async run(api, load) {
    while (!load.over) {
      const operation = this.next();
      const acknowledged = await load.perform(api, operation);
      if (acknowledged && operation instanceof Create) this.groups.push(operation.group);
      if (!acknowledged && operation.changes !== false) this.#setAside(operation);
      if (operation.changes !== false) this.touched.add(operation.group);
      await sleep(acknowledged ? THINK_MS : RETRY_MS);
    }
  }

  next() {
    const kind = this.groups.length === 0 ? 0 : randomInt(4);
    if (kind < 2) return super.next();
    const group = this.groups[randomInt(this.groups.length)];
    return kind === 2 ? new LookUp(group) : new Introspection(group);
  }

  #setAside(operation) {
    this.#aside.add(operation);
    this.groups = this.groups.filter((group) => group !== operation.group);
  }
}

/** Several clients at once, and what they were answered. */
export class Load {
  over = false;
  /** The violations, in words. */
  faults = [];
  totals = { creates: 0, writes: 0, rotations: 0, lookUps: 0, introspections: 0 };
  /** The number of responses with 503 of the service, by their code. */
  refused = {};
  /** The number of calls without a response of the service. */
  cut = 0;
  slowestMs = 0;
  /** The call that took `slowestMs`. */
  slowest = 'nothing';
  #writes = [];
  /** The calls under way. */
  #underWay = new Set();
  #running;

  constructor(clients, { mayRefuse = false, mayCut = false } = {}) {
    Object.assign(this, { clients, mayRefuse, mayCut });
  }

  start(url) {
    this.apis = this.clients.map(() => new Api(url));
    for (const client of this.clients) client.touched.clear();
    this.#running = this.clients.map((client, index) => client.run(this.apis[index], this));
  }

  async stop() {
    this.over = true;
    await Promise.all(this.#running);
    for (const api of this.apis) api.close();
  }

  get answered() {
    return Object.values(this.totals).reduce((sum, count) => sum + count, 0);
  }

  get refusals() {
    return Object.values(this.refused).reduce((sum, count) => sum + count, 0);
  }

  /** Resolves with the moment of the first write that was begun after `since` and acknowledged. */
  async firstWriteSince(since, limitMs) {
    for (;;) {
      const write = this.#writes.find(({ begun }) => begun >= since);
      if (write) return write.acknowledged;
      if (this.faults.length > 0) throw new Error(this.faults[0]);
      if (performance.now() - since > limitMs) {
        throw new Error(`no write was acknowledged within ${limitMs} ms`);
      }
      await sleep(STEP_MS);
    }
  }

  /** Resolves when each call that is under way now has its response, or was cut. */
  async settled() {
    await Promise.all(this.#underWay);
  }

  /** True if the operation was acknowledged. */
  async perform(api, operation) {
    const performed = this.#perform(api, operation);
    this.#underWay.add(performed);
    try {
      return await performed;
    } finally {
      this.#underWay.delete(performed);
    }
  }

  async #perform(api, operation) {
    const begun = performance.now();
    const answer = await this.#send(api, operation);
    const now = performance.now();
    this.slowestMs = Math.max(this.slowestMs, now - begun);
    if (this.slowestMs === now - begun) this.slowest = describe(operation);
    if (!answer) return false;
    if (this.mayRefuse && isRefusal(answer)) {
      this.refused[answer.body.code] = (this.refused[answer.body.code] ?? 0) + 1;
      return false;
    }
    try {
      operation.acknowledge(answer);
    } catch (error) {
      this.#fault(`${describe(operation)} ${error.message}`);
      return false;
    }
    this.totals[operation.kind]++;
    if (operation.changes !== false) this.#writes.push({ begun, acknowledged: now });
    return true;
  }

  async #send(api, operation) {
    try {
      return await api.send(operation.method, operation.body, operation.path);
    } catch (error) {
      this.cut++;
      // A proxy answers 502 in the place of a server that has ended before it answered.
      const isCut = error.status === undefined || error.status === 502;
      if (!this.mayCut || !isCut) {
        this.#fault(`${describe(operation)} got no answer of the service: ${error.message}`);
      }
      return undefined;
    }
  }

  #fault(text) {
    this.faults.push(text);
  }
}

function isRefusal({ status, body }) {
  return status === 503 && body.success === 0 && typeof body.code === 'string';
}

function describe({ method, path = '/api/user', group }) {
  return `${method} ${path} of ${group.id}`;
}

import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { URL } from 'node:url';

const { AbortSignal, fetch } = globalThis;
const DOCUMENT = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url)));
const THINK_MS = 300;
/** After this time a stream has shown that it is served. */
const STREAM_MS = 1000;
const ANSWER_LIMIT_MS = 30_000;
/** An import retries what the database cannot take, for a minute and no longer. */
const IMPORT_LIMIT_MS = 90_000;
const GROUP = 'every-operation';

/**
 * Calls every operation of the OpenAPI document, each again and again by a caller of its own, with the
 * bodies of the examples and the ids that earlier responses have named. A response may refuse the
 * call; it may not be a failure of the service, other than a 503, and not be late.
 */
export class EveryOperation {
  over = false;
  faults = [];
  slowestMs = 0;
  /** The operation that took `slowestMs`. */
  slowest = 'nothing';
  /** The number of responses with each status. */
  statuses = {};
  /** The last thing that a POST has created, by the path of its collection. */
  #created = new Map();

  /** @param url of `/api/user` @param apiToken with every scope, of a workspace that nothing else uses */
  constructor(url, apiToken) {
    this.url = url;
    this.apiToken = apiToken;
  }

  start() {
    this.running = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => this.#repeat(path, method, operation)),
    );
  }

  async stop() {
    this.over = true;
    await Promise.all(this.running);
  }

  async #repeat(path, method, operation) {
    while (!this.over) {
      await this.#call(path, method.toUpperCase(), operation);
      await sleep(THINK_MS);
    }
  }

  async #call(path, method, { requestBody, security }) {
    // Clients of the platform send no body with GET; the same controller reads the one of PUT.
    if (method === 'GET' && requestBody) return;
    const isStream = path.endsWith('/stream');
    const isImport = path.endsWith('/import');
    // An export has begun with 200 when the database goes away, and is cut.
    const mayBeCut = path.endsWith('/export');
    let response;
    const begun = performance.now();
    try {
      response = await fetch(new URL(this.#fill(path), this.url), {
        method,
        headers: { ...this.#credentials(security), ...typeOf(requestBody) },
        body: bodyOf(requestBody),
        signal: AbortSignal.timeout(
          isStream ? STREAM_MS : isImport ? IMPORT_LIMIT_MS : ANSWER_LIMIT_MS,
        ),
      });
      const tookMs = performance.now() - begun;
      if (!isImport && tookMs > this.slowestMs) {
        Object.assign(this, { slowestMs: tookMs, slowest: `${method} ${path}` });
      }
      this.#note(path, method, response.status, await response.text());
    } catch (error) {
      if (isStream && error.name === 'TimeoutError') return;
      if (mayBeCut && response) return;
      this.faults.push(
        `${method} ${path} got no response: ${error.cause?.message ?? error.message}`,
      );
    }
  }

  /** A gateway sends the credentials of a viewer besides its own. */
  #credentials(security = []) {
    const isForGateways = security.some((scheme) => 'GatewayToken' in scheme);
    if (!isForGateways) return { Authorization: `Token ${this.apiToken}` };
    return {
      Authorization: 'Bearer a-token-of-nobody',
      'X-Gateway-Authorization': `Bearer ${this.apiToken}`,
      'X-Gateway-Settings': 'audience=dashboards',
    };
  }

  #fill(path) {
    const [collection] = path.split('/{');
    const id = collection.endsWith('/user-groups') ? GROUP : this.#created.get(collection);
    return path.replace('{id}', id ?? '1').replace('{generation}', '1');
  }

  #note(path, method, status, text) {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    if (status >= 500 && status !== 503) this.faults.push(`${method} ${path} returned ${status}`);
    if (status !== 201 || path.includes('{')) return;
    const id = Object.values(JSON.parse(text)).find((value) => value?.id)?.id;
    if (id !== undefined) this.#created.set(path, String(id));
  }
}

function typeOf(requestBody) {
  const [type] = Object.keys(requestBody?.content ?? {});
  return type && { 'Content-Type': type };
}

function bodyOf(requestBody) {
  const [content] = Object.entries(requestBody?.content ?? {});
  if (!content) return undefined;
  const [type, { schema }] = content;
  if (type.endsWith('ndjson')) {
    return Buffer.from(`{"user_group_id":"${GROUP}","name":"Every operation"}\n`);
  }
  const { properties } = DOCUMENT.components.schemas[schema.$ref.split('/').at(-1)];
  const examples = Object.entries(properties).map(([name, { example, enum: one }]) => [
    name,
    example ?? one?.[0],
  ]);
  return JSON.stringify(Object.fromEntries(examples));
}

import { Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import {
  definePlugin,
  FromEnv,
  integer,
  operator,
  ServiceError,
  text,
  UnknownTokens,
  UserGroupImports,
  Workspaces,
} from 'user-group-service';
import { readExactly, writeExactly } from './exact-json.js';

const LIMIT_MS = 2000;
const MAX_RESPONSE = 64 * 1024;
/** Requests under way in this process. */
const AT_ONCE = 10;
/** Failures in a row after which the old system is left alone. */
const FAILURES = 5;
const PAUSE_MS = 10_000;
/** Tokens that the old system has judged are not shown to it again for a minute. */
const JUDGED_MS = 60_000;
const MAX_JUDGED = 10_000;

const counts = { imported: 0, inactive: 0, refused: 0, failed: 0, skipped: 0 };

class LegacySettings {
  url = null;
  tokenForm = null;
  authorization = null;
  workspace = 'default';
  requestsPerMinute = 120;

  requireConsistent() {
    for (const [name, value] of [
      ['LEGACY_INTROSPECTION_URL', this.url],
      ['LEGACY_TOKEN_FORM', this.tokenForm],
    ]) {
      if (value === null) throw new Error(`${name} is not set, and legacy-tokens needs it.`);
    }
  }
}

const SETTINGS = {
  url: [
    'LEGACY_INTROSPECTION_URL',
    {
      group: 'Tokens of an old system',
      about: 'The endpoint (RFC 7662) of the old system.',
      read: readUrl,
    },
  ],
  tokenForm: [
    'LEGACY_TOKEN_FORM',
    {
      about: 'A regular expression of the old tokens: `[0-9a-f]{64}`. No other text is sent.',
      read: (value) => new RegExp(`^(?:${value})$`),
    },
  ],
  authorization: [
    'LEGACY_AUTHORIZATION',
    { about: 'The header Authorization of the requests.', secret: true, read: text },
  ],
  workspace: [
    'LEGACY_WORKSPACE',
    { about: 'The name of the workspace that gets the groups.', read: text },
  ],
  requestsPerMinute: [
    'LEGACY_REQUESTS_PER_MINUTE',
    { about: 'Requests of each process.', read: integer(1, 6000) },
  ],
};
for (const [property, variable] of Object.entries(SETTINGS)) {
  FromEnv(...variable)(LegacySettings.prototype, property);
}

function readUrl(value) {
  const { protocol, username, password } = new URL(value);
  if (!/^https?:$/.test(protocol) || username || password) {
    throw new Error('it must begin with https: or http:, without credentials');
  }
  return value;
}

/** Asks an old system about each token of its form that the workspace does not know, and imports the group. */
class LegacyTokens extends UnknownTokens {
  #logger = new Logger('LegacyTokens');
  /** The requests under way, by the hash of their token. */
  #asking = new Map();
  /** Says whether the workspace may have the token, until the memory of it ends; the oldest first. */
  #judged = new Map();
  #workspaceId;
  #failures = 0;
  #pausedUntil = 0;
  #left;
  #filledAt = Date.now();

  constructor(settings, imports, workspaces) {
    super();
    Object.assign(this, { settings, imports, workspaces });
    this.#left = settings.requestsPerMinute;
  }

  async adopt(token, workspaceId) {
    if (!this.settings.tokenForm.test(token)) return false;
    this.#workspaceId ??= await this.#findWorkspace();
    if (workspaceId !== this.#workspaceId) return false;
    const hash = createHash('sha256').update(token).digest('hex');
    const judged = this.#judged.get(hash);
    // A call that looked for the token before its import comes here after it.
    if (judged?.until > Date.now()) return judged.mayBeHere;
    const asking = this.#asking.get(hash);
    if (asking) return asking;
    if (!this.#mayAsk()) {
      counts.skipped++;
      return false;
    }
    const bringing = this.#bring(token, hash).finally(() => this.#asking.delete(hash));
    this.#asking.set(hash, bringing);
    return bringing;
  }

  async #findWorkspace() {
    try {
      return (await this.workspaces.getByName(this.settings.workspace)).id;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      this.#fail(new Unusable('LEGACY_WORKSPACE names no workspace'));
      return undefined;
    }
  }

  #mayAsk() {
    const now = Date.now();
    const { requestsPerMinute } = this.settings;
    const gained = (Math.max(0, now - this.#filledAt) * requestsPerMinute) / 60_000;
    this.#left = Math.min(requestsPerMinute, this.#left + gained);
    this.#filledAt = now;
    if (this.#left < 1 || this.#asking.size >= AT_ONCE || now < this.#pausedUntil) return false;
    this.#left--;
    return true;
  }

  async #bring(token, hash) {
    let group;
    try {
      group = await this.#ask(token);
      this.#failures = 0;
    } catch (error) {
      this.#fail(error);
      return false;
    }
    const result = group ? await this.#store(group, token) : 'inactive';
    counts[result]++;
    // Another process may have imported it: then the workspace has the token, too.
    const mayBeHere = result !== 'inactive';
    this.#remember(hash, mayBeHere);
    return mayBeHere;
  }

  /** Returns the group of an active token without an end. @throws for any response that does not say so or the contrary */
  async #ask(token) {
    const { url, authorization } = this.settings;
    const response = await fetch(url, {
      method: 'POST',
      headers: { Accept: 'application/json', ...(authorization && { authorization }) },
      body: new URLSearchParams({ token }),
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    const chunks = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MAX_RESPONSE) throw new Unusable('too long');
      chunks.push(chunk);
    }
    if (response.status !== 200) throw new Unusable(`status ${response.status}`);
    const { active, sub, name, mapping, properties, exp } = readExactly(
      new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)),
    );
    if (typeof active !== 'boolean') throw new Unusable('no introspection');
    // A token with an end has a successor.
    if (!active || exp !== undefined) return undefined;
    return { provided_id: sub, name, mapping, properties };
  }

  async #store(group, token) {
    try {
      const line = writeExactly({ ...group, token });
      const isNew = await this.imports.create(operator(this.#workspaceId), line);
      return isNew ? 'imported' : 'refused';
    } catch (error) {
      if (!(error instanceof ServiceError) || error.spec.status >= 500) throw error;
      return 'refused';
    }
  }

  #fail(error) {
    counts.failed++;
    if (++this.#failures < FAILURES) return;
    this.#pausedUntil = Date.now() + PAUSE_MS;
    // The message of an error can have parts of a response.
    const reason = error instanceof Unusable ? error.message : (error.cause?.code ?? error.name);
    this.#logger.warn({ msg: 'the old system is left alone for 10 s', reason });
  }

  #remember(hash, mayBeHere) {
    this.#judged.delete(hash);
    this.#judged.set(hash, { until: Date.now() + JUDGED_MS, mayBeHere });
    if (this.#judged.size > MAX_JUDGED) this.#judged.delete(this.#judged.keys().next().value);
  }
}

/** A response that is no introspection. */
class Unusable extends Error {}

/** `PLUGINS=./examples/move-over/plugin.js` adds it to the service. */
export default definePlugin({
  name: 'legacy-tokens',
  compatibility: '^0.1.0',
  settings: LegacySettings,
  ports: [
    {
      provide: UnknownTokens,
      inject: [LegacySettings, UserGroupImports, Workspaces],
      useFactory: (...injected) => new LegacyTokens(...injected),
    },
  ],
  metrics: () => [
    {
      type: 'counter',
      name: 'legacy_tokens_total',
      help: 'Unknown tokens of the form of the old system, by what became of them.',
      label: 'result',
      read: () => counts,
    },
  ],
});

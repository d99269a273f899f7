import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamConfig } from './config-offers.ts';
import type { Config, EmbedConfig, Template, Tenant, Variable } from './config.ts';
import type { ForgingKey } from './forge.ts';
import type { Proxy } from './proxy.ts';
import { render, type Rendering } from './renderer.ts';
import { withoutSecrets } from './report.ts';
import type { Group, Service, ServiceError } from './service.ts';
import { Stream } from './stream.ts';
import type { Trace } from './trace.ts';

const POLL_MS = 50;
/** Showing nothing for a moment, as a busy renderer does, is no fault. */
const AWAY = [502, 503, 504];
const ATTEMPTS = 4;
const PAUSE_MS = 500;
const SLACK_MS = 10_000;
const TEXT_SHOWN = 200;

/** A guarantee of a check that does not hold. */
export class Failed extends Error {}

/** A check cannot begin, because a valid token shows nothing: it says nothing about its guarantee. */
export class NotJudged extends Error {}

/** A check cannot be made with this configuration. */
export class Skipped extends Error {}

/** Something that a response shows too much of, which harms no tenant by itself. */
export class Warned extends Error {}

/** The parts of a rendering by which a check judges. */
type Seen = Pick<Rendering, 'status' | 'text' | 'failure'>;

/** The parts of a run that all its checks share. */
export interface Run {
  config: Config;
  variables: Variable[];
  service: Service;
  proxy: Proxy | undefined;
  key: ForgingKey;
  /** Every token that the renderer was sent. */
  tokens: Set<string>;
  /** The longest that the renderer has taken. */
  slowestMs: number;
}

/** Something that a renderer promises. */
export interface Check {
  /** Stable: `--only` and reports name it. */
  id: string;
  title: string;
  /** The meaning of a failure for the team of the renderer. */
  means: string;
  /** `alone` when no other does, `last` after all others: it may destroy something. */
  runs?: 'alone' | 'last';
  run: (kit: Kit) => Promise<void>;
}

/** The tools of one check: the service, the renderer, and a trace of both. */
export class Kit {
  readonly config: Config;
  readonly service: Service;
  readonly shared: Run;
  readonly trace: Trace;

  constructor(shared: Run, trace: Trace) {
    this.shared = shared;
    this.trace = trace;
    this.config = shared.config;
    this.service = shared.service;
  }

  get variables(): Variable[] {
    return this.shared.variables;
  }

  get tenants(): [Tenant, Tenant] {
    return this.config.tenants;
  }

  /** @throws Skipped if the renderer cannot be led to the kit's proxy */
  get proxy(): Proxy {
    const { proxy } = this.shared;
    if (!proxy) throw new Skipped('needs "proxy", an address between the renderer and the service');
    if (proxy.counts.introspections === 0) {
      throw new Skipped('the renderer has introspected nothing through the proxy');
    }
    return proxy;
  }

  /** @throws Skipped if the renderer takes no embed tokens */
  get embed(): EmbedConfig {
    const { embed } = this.config;
    if (!embed) throw new Skipped('needs "embed": the renderer takes no embed tokens');
    return embed;
  }

  /** A new group like the first tenant, or the second. */
  group(which: 0 | 1 = 0, own: object = {}): Promise<Group> {
    return this.service.create(this.tenants[which], this.trace, own);
  }

  /** Issues an embed token that the renderer should take. @throws Skipped if the API token may not */
  async embedToken(group: Group, own: object = {}): Promise<string> {
    const { audience, origin } = this.embed;
    const body = { audience, ...(origin !== undefined && { origin }), ...own };
    try {
      return await this.service.issueEmbedToken(group, body, this.trace);
    } catch (error) {
      const { code, message } = error as ServiceError;
      if (code === 'insufficient_scope' || code === 'view_as_forbidden') throw new Skipped(message);
      throw error;
    }
  }

  async render(
    token: string,
    template: Template = this.config.template,
    extra?: Record<string, string>,
  ): Promise<Rendering> {
    this.trace.rendering(template, token, extra);
    this.shared.tokens.add(token);
    const rendering = await render(
      template,
      token,
      this.config.givesUpSeconds * 1000 + SLACK_MS,
      extra,
    );
    this.shared.slowestMs = Math.max(
      this.shared.slowestMs,
      rendering.endedAt - rendering.startedAt,
    );
    return rendering;
  }

  /** Opens the connection that stays open, which the check closes. */
  open(config: StreamConfig, token: string): Promise<Stream> {
    this.trace.opening(config, token);
    this.shared.tokens.add(token);
    return Stream.open(config, token, this.config.givesUpSeconds * 1000 + SLACK_MS);
  }

  /** Whether the output is that of this tenant alone. */
  isOf({ status, text }: Rendering, which: 0 | 1): boolean {
    const other = this.tenants[which === 0 ? 1 : 0];
    return (
      isSuccess(status) &&
      this.tenants[which].shows.every((row) => text.includes(row)) &&
      !this.#hasAny(text, other.shows)
    );
  }

  /** Rows of any tenant, and rows that nobody may see. */
  rowsIn(text: string): string[] {
    const rows = [...this.tenants.flatMap(({ shows }) => shows), ...this.config.neverShows];
    return rows.filter((row) => text.includes(row));
  }

  /**
   * Tries again while the renderer is away.
   * @throws Failed unless the token shows the rows of this tenant and of no other
   * @throws NotJudged if the renderer stays away
   */
  async shows(token: string, which: 0 | 1, what: string, template?: Template): Promise<Rendering> {
    const rendering = await this.#renderValid(token, template);
    if (isAway(rendering)) throw new NotJudged(`${what}: ${this.describe(rendering)}`);
    this.mustShow(rendering, which, what);
    return rendering;
  }

  /**
   * Makes sure that a valid token shows its rows, before the check itself.
   * @throws NotJudged if it shows nothing
   * @throws Failed if it shows a row of another tenant
   */
  async control(
    token: string,
    which: 0 | 1,
    what: string,
    template?: Template,
  ): Promise<Rendering> {
    const rendering = await this.#renderValid(token, template);
    this.mustNotLeak(rendering, which, what);
    if (!this.isOf(rendering, which)) {
      throw new NotJudged(`the valid token showed no rows (${what}): ${this.describe(rendering)}`);
    }
    return rendering;
  }

  /** Calls the renderer, and again for a while if it is away: a busy machine keeps it from introspection. */
  async renderAtHand(
    token: string,
    template?: Template,
    extra?: Record<string, string>,
  ): Promise<Rendering> {
    return this.#renderWhile(isAway, token, template, extra);
  }

  /** Calls like `renderAtHand`, and again after a response that is not whole. */
  async #renderValid(token: string, template?: Template): Promise<Rendering> {
    return this.#renderWhile(
      (rendering) => rendering.status === undefined || isAway(rendering),
      token,
      template,
    );
  }

  async #renderWhile(
    isMissing: (rendering: Rendering) => boolean,
    token: string,
    template?: Template,
    extra?: Record<string, string>,
  ): Promise<Rendering> {
    const since = performance.now();
    for (let attempt = 1; ; attempt++) {
      const rendering = await this.render(token, template, extra);
      const isPatient =
        attempt < ATTEMPTS || performance.now() - since < this.config.recoversSeconds * 1000;
      if (!isMissing(rendering) || !isPatient) return rendering;
      await sleep(PAUSE_MS);
    }
  }

  mustShow(rendering: Rendering, which: 0 | 1, what: string): void {
    if (this.isOf(rendering, which)) return;
    const expected = `the rows of tenant ${which + 1} (${this.tenants[which].shows.join(', ')}) and no others`;
    throw new Failed(`${what}: expected ${expected}; ${this.describe(rendering)}`);
  }

  /** @throws Failed unless the token is refused, without a row */
  async refuses(token: string, what: string, template?: Template): Promise<Rendering> {
    const rendering = await this.render(token, template);
    this.mustRefuse(rendering, what);
    return rendering;
  }

  mustRefuse(rendering: Rendering, what: string): void {
    if (!this.isRefusal(rendering)) {
      throw new Failed(`${what}: expected a refusal; ${this.describe(rendering)}`);
    }
  }

  isRefusal({ status, text }: Rendering): boolean {
    if (status === undefined || this.rowsIn(text).length > 0) return false;
    return this.config.refusesWith?.includes(status) ?? status >= 400;
  }

  /** @throws Failed if the output has a row of another tenant, or one that nobody may see */
  mustNotLeak(rendering: Seen, which: 0 | 1, what: string): void {
    const own = this.tenants[which].shows;
    const others = this.rowsIn(rendering.text).filter((row) => !own.includes(row));
    if (others.length > 0) {
      throw new Failed(`${what}: shows ${others.join(', ')}; ${this.describe(rendering)}`);
    }
  }

  /**
   * Waits until the token is refused.
   * @param since by `performance.now()`: the moment from which on the promised seconds count
   * @throws Failed if a call that began after the promised seconds is not refused
   */
  async refusesSince(
    since: number,
    token: string,
    what: string,
    template?: Template,
  ): Promise<void> {
    await this.#until(since, what, async () => {
      const rendering = await this.render(token, template);
      return { rendering, isDone: this.isRefusal(rendering) };
    });
  }

  /** Waits like `refusesSince`, until the token shows the rows of this tenant alone. */
  async showsSince(since: number, token: string, which: 0 | 1, what: string): Promise<void> {
    await this.#until(since, what, async () => {
      const rendering = await this.render(token);
      return { rendering, isDone: this.isOf(rendering, which) };
    });
  }

  async #until(
    since: number,
    what: string,
    look: () => Promise<{ rendering: Rendering; isDone: boolean }>,
  ): Promise<void> {
    const { promiseSeconds } = this.config;
    for (;;) {
      const { rendering, isDone } = await look();
      if (isDone) return;
      if (rendering.startedAt - since > promiseSeconds * 1000) {
        const seconds = ((rendering.startedAt - since) / 1000).toFixed(1);
        throw new Failed(
          `${what}: not after ${seconds} s, ${promiseSeconds} s are promised; ${this.describe(rendering)}`,
        );
      }
      await sleep(POLL_MS);
    }
  }

  #hasAny(text: string, rows: string[]): boolean {
    return [...rows, ...this.config.neverShows].some((row) => text.includes(row));
  }

  /** Tells of a response in words, without secrets. */
  describe({ status, text, failure }: Seen): string {
    if (status === undefined) return `there was no whole response: ${failure}`;
    const rows = this.rowsIn(text);
    const away = AWAY.includes(status) ? ', the renderer was away' : '';
    const shown =
      rows.length > 0 ? `with the rows ${rows.join(', ')}` : 'without a row that the kit knows';
    return `the response is ${status}${away}, ${shown}: ${JSON.stringify(this.#hidden(text).slice(0, TEXT_SHOWN))}`;
  }

  #hidden(text: string): string {
    const { apiToken, otherApiToken } = this.config.service;
    const secrets = [
      ...this.shared.tokens,
      apiToken,
      otherApiToken,
      this.shared.proxy?.rendererApiToken,
    ];
    let hidden = text;
    for (const secret of secrets) if (secret) hidden = hidden.replaceAll(secret, '<token>');
    // A secret that is cut short afterwards would have another form.
    return withoutSecrets(hidden);
  }
}

/** Whether the renderer, or a proxy before it, has said that it cannot respond now. */
export function isAway({ status }: Rendering): boolean {
  return status !== undefined && AWAY.includes(status);
}

export function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

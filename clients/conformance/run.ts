import { randomBytes } from 'node:crypto';
import { embedChecks } from './checks/embedding.ts';
import { gatewayChecks } from './checks/gateways.ts';
import { introspectionChecks } from './checks/introspection.ts';
import { sharingChecks } from './checks/sharing.ts';
import { streamChecks } from './checks/streams.ts';
import { tenantChecks } from './checks/tenants.ts';
import { tokenChecks } from './checks/tokens.ts';
import { traceChecks } from './checks/traces.ts';
import { variableChecks } from './checks/variables.ts';
import { viewerChecks } from './checks/viewers.ts';
import { type Config, ConfigError, faultsOfVariables, type Variable } from './config.ts';
import { ForgingKey } from './forge.ts';
import { each } from './each.ts';
import { type Check, Failed, Kit, NotJudged, type Run, Skipped, Warned } from './kit.ts';
import { Proxy } from './proxy.ts';
import { render } from './renderer.ts';
import type { Outcome, Result, Subject } from './outcome.ts';
import { withoutSecrets } from './report.ts';
import { Service } from './service.ts';
import { Trace } from './trace.ts';

/** With more at once the checks would disturb each other's promised second. */
export const CHECKS_AT_ONCE = 6;

const REACH_LIMIT_MS = 20_000;

/** The check without which no other one has a meaning. */
const BASELINE: Check = {
  id: 'baseline',
  title: 'each tenant sees its own rows',
  means:
    'The configuration does not describe the renderer, or the renderer does not work: nothing else can be judged.',
  run: async (kit) => {
    for (const which of [0, 1] as const) {
      const rendering = await kit.renderAtHand((await kit.group(which)).token);
      // The rows of the first tenant would be a leak, which other checks explain.
      if (which === 0 || !kit.isOf(rendering, 0)) {
        kit.mustShow(rendering, which, `tenant ${which + 1}`);
      }
    }
  },
};

export const CHECKS: Check[] = [
  BASELINE,
  ...tenantChecks,
  ...sharingChecks,
  ...tokenChecks,
  ...variableChecks,
  ...embedChecks,
  ...viewerChecks,
  ...gatewayChecks,
  ...streamChecks,
  ...introspectionChecks,
  ...traceChecks,
];

/** The renderer or the service cannot be reached, or the service refuses the kit. */
export class Unreachable extends Error {}

/** One run of the kit against a renderer. */
export class Conformance {
  readonly #config: Config;
  readonly #service: Service;
  readonly #proxy: Proxy | undefined;
  readonly #key = new ForgingKey(`conformance-kit-${randomBytes(4).toString('hex')}`);

  constructor(config: Config) {
    const { url, apiToken, groupsLiveSeconds: liveSeconds } = config.service;
    const run = randomBytes(4).toString('hex');
    this.#config = config;
    this.#service = new Service(url, apiToken, { schema: config.schema, liveSeconds, run });
    this.#proxy = config.proxy && new Proxy(url, this.#key.jwk);
  }

  /**
   * Makes the checks, those that may be at once first.
   * @param wanted decides by the id
   * @param report is told each result when it is known
   * @throws Unreachable, ConfigError before the first check
   */
  async run(
    wanted: (id: string) => boolean,
    atOnce: number,
    report: (result: Result) => void,
  ): Promise<Outcome> {
    const begunAt = new Date();
    const startedAt = performance.now();
    const shared = await this.#prepare();
    const results = new Map<string, Result>();
    const make = async (check: Check) => {
      const result = await this.#make(check, shared);
      results.set(check.id, result);
      report(result);
    };
    await make(BASELINE);
    const rest = CHECKS.filter(({ id }) => id !== BASELINE.id && wanted(id));
    if (results.get(BASELINE.id)!.outcome === 'passed') {
      await each(
        rest.filter(({ runs }) => runs === undefined),
        atOnce,
        make,
      );
      for (const when of ['alone', 'last']) {
        for (const check of rest.filter(({ runs }) => runs === when)) await make(check);
      }
    }
    const left = {
      outcome: 'skipped',
      seconds: 0,
      reason: 'the check baseline has not passed',
    } as const;
    const all = [BASELINE, ...rest];
    return {
      subject: subjectOf(this.#config, begunAt),
      results: all.map(
        (check) => results.get(check.id) ?? { id: check.id, title: check.title, ...left },
      ),
      seconds: (performance.now() - startedAt) / 1000,
      slowestSeconds: shared.slowestMs / 1000,
    };
  }

  /** Removes what the run has created. */
  async end(): Promise<void> {
    await this.#proxy?.close();
    await this.#service.removeAll();
  }

  async #prepare(): Promise<Run> {
    try {
      await this.#proxy?.listen(this.#config.proxy!);
    } catch (error) {
      throw new Unreachable(`the proxy cannot listen: ${(error as Error).message}`);
    }
    let variables: Variable[];
    try {
      await this.#service.call('GET', '/api/v1/workspace/identity');
      await this.#service.sweep();
      variables = this.#config.variables ?? (await this.#service.variables());
    } catch (error) {
      throw new Unreachable((error as Error).message);
    }
    const faults = faultsOfVariables(variables, this.#config.tenants, this.#config.neverShows);
    if (faults.length > 0) throw new ConfigError(faults);
    const [config, service, proxy, key] = [this.#config, this.#service, this.#proxy, this.#key];
    const { status, text, failure } = await render(config.template, 'conformance', REACH_LIMIT_MS);
    // Leaves a response that is not whole to the checks, which tell more.
    if (status === undefined && text === '') {
      throw new Unreachable(`the renderer cannot be reached: ${failure}`);
    }
    return { config, variables, service, proxy, key, tokens: new Set(), slowestMs: 0 };
  }

  async #make(check: Check, shared: Run): Promise<Result> {
    const { id, title, means } = check;
    const startedAt = performance.now();
    const trace = new Trace();
    const seconds = () => (performance.now() - startedAt) / 1000;
    try {
      await check.run(new Kit(shared, trace));
      return { id, title, outcome: 'passed', seconds: seconds(), means, steps: trace.steps };
    } catch (error) {
      const reason = (error as Error).message;
      if (error instanceof Skipped) {
        return { id, title, outcome: 'skipped', seconds: seconds(), reason };
      }
      if (error instanceof NotJudged) {
        return { id, title, outcome: 'unjudged', seconds: seconds(), reason, steps: trace.steps };
      }
      const outcome =
        error instanceof Failed ? 'failed' : error instanceof Warned ? 'warned' : 'error';
      return { id, title, outcome, seconds: seconds(), reason, means, steps: trace.steps };
    }
  }
}

function subjectOf({ template, service }: Config, startedAt: Date): Subject {
  const renderer =
    'command' in template ? withoutSecrets(template.command.join(' ')) : addressOf(template.url);
  return { renderer, service: addressOf(service.url), startedAt };
}

/** The address without credentials, query and fragment: each may have a secret. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replaceAll('%7Btoken%7D', '{token}');
}

import { parser } from '@prometheus-io/lezer-promql';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { errorCatalogue } from '../../src/platform/common/problem/problem.ts';
import { Metrics } from '../../src/platform/metrics/metrics.ts';
import { WebhookWorker } from '../../src/features/webhook/delivery/webhook-worker.ts';
import { databaseKinds } from '../support/database/databases.ts';
import { startTestService } from '../support/test-service.ts';
import { SENDING } from '../support/events/webhook-receiver.ts';
import { until } from '../support/time/until.ts';

interface AlertRules {
  groups: { rules: { alert: string; expr: string; labels: object; annotations: object }[] }[];
}

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

const deploy = join(import.meta.dirname, '..', '..', 'deploy');
const read = (path: string) => readFileSync(join(deploy, path), 'utf8');
const rules = (parse(read('prometheus/alerts.yaml')) as AlertRules).groups.flatMap(
  (group) => group.rules,
);
const { panels } = JSON.parse(read('grafana/dashboard.json')) as Dashboard;

/** Replaces the variables, which Grafana does before it sends an expression. */
const fillIn = (expr: string) =>
  expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', 'job');

const expressions: [string, string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }): [string, string] => [title, fillIn(expr)]),
  ),
];

interface Selector {
  name: string;
  labels: { name: string; operator: string; value: string }[];
}

/** The metrics that an expression reads; throws if it is not PromQL. */
function selectorsOf(expr: string): Selector[] {
  const selectors: Selector[] = [];
  parser.parse(expr).iterate({
    enter(node) {
      const text = expr.slice(node.from, node.to);
      if (node.type.isError) throw new Error(`not PromQL at ${node.from}: ${expr}`);
      if (node.name === 'Identifier') selectors.push({ name: text, labels: [] });
      if (node.name === 'UnquotedLabelMatcher') {
        const [, name, operator, value] = /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(text)!;
        selectors.at(-1)!.labels.push({ name: name!, operator: operator!, value: value! });
      }
    },
  });
  return selectors;
}

/** The samples of a service, each with its labels. */
async function scrape(): Promise<Map<string, Record<string, string>[]>> {
  const samples = new Map<string, Record<string, string>[]>();
  for (const kind of databaseKinds) {
    const service = await startTestService(kind, SENDING);
    await until(() => service.app.get(WebhookWorker).dueEndpoints !== null);
    const { body } = await service.api.get({ user_group_id: 'g', name: 'G' });
    await service.api.introspect(body.user_group.token);
    for (const line of (await service.app.get(Metrics).registry.metrics()).split('\n')) {
      const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
      if (name === undefined) continue;
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]);
      samples.set(name, [...(samples.get(name) ?? []), Object.fromEntries(pairs) as never]);
    }
    await service.close();
  }
  return samples;
}

let samples: Map<string, Record<string, string>[]>;

beforeAll(async () => {
  samples = await scrape();
});

// A metric that only PostgreSQL has does not exist without it.
const postgresOnly = /database_connections|change_channel_up|change_lease_up/;
const known = (expr: string) => databaseKinds.includes('postgres') || !postgresOnly.test(expr);

test.each(expressions.filter(([, expr]) => known(expr)))(
  '%s asks for metrics and labels that there are',
  (_title, expr) => {
    const selectors = selectorsOf(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { name, labels } of selectors) {
      expect(labels.map((label) => label.name)).toContain('job');
      if (name === 'up') continue;
      const found = samples.get(name);
      expect([name, found !== undefined]).toEqual([name, true]);
      for (const { name: label, operator, value } of labels) {
        if (label === 'job') continue;
        const values = found!.map((sample) => sample[label]);
        expect(values).not.toContain(undefined);
        const wanted = new RegExp(`^(?:${value})$`);
        const isMet = values.some((one) => wanted.test(one!) === !operator.startsWith('!'));
        expect([name, label, value, isMet]).toEqual([name, label, value, true]);
      }
    }
  },
);

test('every code that an expression names is one of the catalogue', () => {
  const codes: string[] = errorCatalogue.map(({ code }) => code);
  for (const { labels } of expressions.flatMap(([, expr]) => selectorsOf(expr))) {
    for (const { value } of labels.filter(({ name }) => name === 'code')) {
      for (const part of value.split('|')) {
        const wanted = new RegExp(`^${part}$`);
        expect([part, codes.some((code) => wanted.test(code))]).toEqual([part, true]);
      }
    }
  }
});

test('every alert says how urgent it is and what to do', () => {
  expect(rules.length).toBeGreaterThan(5);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { labels, annotations } of rules) {
    expect(labels).toEqual({ severity: expect.stringMatching(/^(page|ticket)$/) });
    expect(annotations).toEqual({
      summary: expect.stringMatching(/\.$/),
      action: expect.stringMatching(/\.$/),
    });
  }
});

import { type INestApplication, Logger } from '@nestjs/common';
import type { HttpServer } from '../../platform/common/http/server/http-server.ts';
import type { Plugin } from '../../platform/common/extension/plugin.ts';
import { serviceVersion } from '../../platform/common/version.ts';
import {
  type Expected,
  type Extension,
  Extensions,
} from '../../platform/common/extension/extensions.ts';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import { reasonOf } from '../../platform/common/problem/reason-of.ts';
import type { Metric, ReadMetric } from '../../platform/common/extension/metric.ts';
import type { Config } from '../../platform/config/config.ts';
import { metricsOf } from './features.ts';
import { Metrics } from '../../platform/metrics/metrics.ts';

/**
 * Exports the metrics of the features, and those of the process and its HTTP server.
 * @throws ExtensionFailed for metrics that cannot be exported
 */
export function watchApplication(
  app: INestApplication,
  { malformed, connections }: HttpServer,
  config: Config,
): void {
  const metrics = app.get(Metrics);
  const extensions = app.get(Extensions);
  extensions.observe = (call) => metrics.observeExtension(call);
  const ofProcess: Metric[] = [
    {
      type: 'gauge',
      name: 'user_group_service_info',
      help: '1, with the version of the service.',
      label: 'version',
      read: () => ({ [serviceVersion]: 1 }),
    },
    {
      type: 'counter',
      name: 'http_malformed_total',
      help: 'Requests that were refused before they reached a route, by the code of their problem.',
      label: 'code',
      read: () => malformed.counts,
    },
    {
      type: 'counter',
      name: 'http_connections_cut_total',
      help: 'Connections that were cut because of their client, by reason.',
      label: 'reason',
      read: () => connections.cuts,
    },
  ];
  for (const { title, metrics: own } of [
    { title: 'service', metrics: ofProcess },
    ...metricsOf(config, app),
  ]) {
    for (const one of own) exportMetric(metrics, extensions.named(title), one);
  }
}

/** Exports the metrics of plugins. @throws ExtensionFailed for metrics that cannot be exported */
export function watchPlugins(app: INestApplication, plugins: readonly Plugin[]): void {
  const metrics = app.get(Metrics);
  const extensions = app.get(Extensions);
  for (const { definition, title } of plugins) {
    if (!definition.metrics) continue;
    const extension = extensions.named(title);
    const watched = extension.now('metrics', () => definition.metrics!(app), METRICS);
    for (const one of watched) {
      exportMetric(
        metrics,
        extension,
        one.type === 'histogram' ? one : containMetric(extension, one),
      );
    }
  }
}

/**
 * Exports a metric.
 * @param owner names what declares it, in messages
 * @throws OperatorError if another metric has its name; ExtensionFailed if it is invalid
 */
export function exportMetric(metrics: Metrics, owner: Extension, metric: Metric): void {
  try {
    metrics.watch(metric, owner.name);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw owner.failed(`the metric ${metric.name}`, `cannot be exported: ${reasonOf(error)}`);
  }
}

const METRICS: Expected<Metric[]> = {
  is: (value): value is Metric[] =>
    Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null),
  what: 'a list of metrics',
};

/** Returns a metric of an extension that is left out while it cannot be read; the log reports this once. */
function containMetric(extension: Extension, watched: ReadMetric): ReadMetric {
  const logger = new Logger('Extension');
  const { name: metric, type, label } = watched;
  let isReported = false;
  const whatIsOne = label === undefined ? 'a number' : 'an object of numbers';
  const expected: Expected<ReturnType<ReadMetric['read']>> = {
    is: (value) => areValues(value, type, label),
    what: type === 'counter' ? `${whatIsOne}, none below 0` : whatIsOne,
  };
  return {
    ...watched,
    read: () => {
      try {
        return extension.now(metric, () => watched.read(), expected);
      } catch (err) {
        const msg = 'a metric cannot be read';
        if (!isReported) logger.error({ msg, extension: extension.name, metric, err });
        isReported = true;
        return null;
      }
    },
  };
}

function areValues(
  values: unknown,
  type: ReadMetric['type'],
  label: string | undefined,
): values is ReturnType<ReadMetric['read']> {
  const isValue = (value: unknown) =>
    typeof value === 'number' && Number.isFinite(value) && (type === 'gauge' || value >= 0);
  if (values === null) return true;
  if (label === undefined) return isValue(values);
  return typeof values === 'object' && Object.values(values).every(isValue);
}

// What the metrics of a service begin to observe is observed for as long as the process lasts, and
// keeps all that the service has loaded: a process that runs one service after the other ends it
// in between.
import { createRequire } from 'node:module';

const performance = createRequire(import.meta.url)('node:perf_hooks');
const begun = new Set();

performance.PerformanceObserver = class PerformanceObserver extends performance.PerformanceObserver {
  constructor(...options) {
    super(...options);
    begun.add(this);
  }
};

// Nothing ends one: its timer goes on, a hundred times a second.
const histogram = performance.monitorEventLoopDelay({ resolution: 10 });
performance.monitorEventLoopDelay = () => histogram;

export function endObservers() {
  for (const observer of begun) observer.disconnect();
  begun.clear();
}

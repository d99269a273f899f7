// The metrics of a service begin observations that last as long as the process and keep all that the service has
// loaded. A process that runs one service after the other ends them in between.
import { createRequire } from 'node:module';

const performance = createRequire(import.meta.url)('node:perf_hooks');
const begun = new Set();

performance.PerformanceObserver = class PerformanceObserver extends (
  performance.PerformanceObserver
) {
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

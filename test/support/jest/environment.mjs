import { createRequire } from 'node:module';
import process from 'node:process';
import { clearInterval } from 'node:timers';
import vm from 'node:vm';
import NodeEnvironment from 'jest-environment-node';
import { endObservers } from '../process/observers.mjs';
import { spawnWarmProcess } from '../process/warm-processes.mjs';

// Jest gives each test file modules of its own and compiles all of them again, which is most of the cost of a file.
// This worker compiles a module once. A script is bound to no context: run in that of a test file, it gives the file
// its own function, and so its own module.

const require = createRequire(import.meta.url);
const { compileFunction } = vm;
const scripts = new Map();

vm.compileFunction = (source, parameters, options) => {
  const { filename, parsingContext } = options;
  // The callback of `import()` belongs to one test file.
  if (source.includes('import(')) return compileFunction(source, parameters, options);
  const head = `(function (${parameters.join(', ')}) {`;
  let known = scripts.get(filename);
  if (known?.source !== source) {
    try {
      const script = new vm.Script(`${head}${source}\n})`, {
        filename,
        columnOffset: -head.length,
      });
      known = { source, script };
    } catch {
      // For the error that Jest expects.
      return compileFunction(source, parameters, options);
    }
    scripts.set(filename, known);
  }
  return known.script.runInContext(parsingContext);
};

// The runtime keeps every storage until it is told otherwise, and with it all that a test file has
// loaded; each promise goes through all the storages.
const storages = new Set();
const hooks = require('node:async_hooks');

const { AsyncLocalStorage: Storage } = hooks;
// Newer versions of Node have a getter there.
Object.defineProperty(hooks, 'AsyncLocalStorage', {
  configurable: true,
  value: class AsyncLocalStorage extends Storage {
    constructor(...options) {
      super(...options);
      storages.add(this);
    }
  },
});

// The addon is shared by the whole worker, unlike the modules. It throws errors of the test file that has opened a
// database first, unless `isInitialized` is reset. To any other file they would be no `Error`.
const sqlite = require('better-sqlite3/build/Release/better_sqlite3.node');

// Warnings about the tests. Others are about packages, and differ with the version of Node.js.
const warnings = [];
process.on('warning', ({ name, code = '', message }) => {
  if (name === 'MaxListenersExceededWarning' || code.startsWith('JEST')) warnings.push(message);
});

export default class extends NodeEnvironment {
  #unhandled = new WeakMap();
  #intervals = [];

  async setup() {
    await super.setup();
    sqlite.isInitialized = false;
    const { setInterval } = this.global;
    this.global.setInterval = (...given) => {
      const interval = setInterval(...given);
      this.#intervals.push(interval);
      return interval;
    };
    // The processes outlive a test file, and so everything that its modules know.
    this.global.spawnWarmProcess = spawnWarmProcess;
  }

  /**
   * Fails a test in which a promise is rejected before it has a handler. Jest forgives that once a handler
   * comes, but a process of the service would have ended by then.
   */
  handleTestEvent(event, { currentlyRunningTest }) {
    const { name, promise, error } = event;
    if (name === 'error' && promise) this.#unhandled.set(promise, error);
    if (name !== 'error_handled') return;
    const cause = this.#unhandled.get(promise);
    const late = new Error('a promise was rejected before it had a handler', { cause });
    currentlyRunningTest?.errors.push(late);
  }

  /** @throws if there were warnings */
  async teardown() {
    // Each would keep all that the file has loaded.
    for (const interval of this.#intervals) clearInterval(interval);
    await super.teardown();
    for (const storage of storages) storage.disable();
    storages.clear();
    endObservers();
    const [warning] = warnings.splice(0);
    if (warning !== undefined) throw new Error(warning);
  }
}

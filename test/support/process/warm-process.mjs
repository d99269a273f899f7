// The host of `warm-processes.mjs`: runs scripts of dist one after the other.
//
// Three things are not as in a process of one's own: a module keeps its state from run to run, such as
// the scopes that a plugin has declared; a signal that comes before a run has said what to do
// with it ends the process without a word; and a server waits as long as a busy machine needs.
import { readdirSync, readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Server, Socket } from 'node:net';
import { constants } from 'node:os';
import process from 'node:process';
import { clearTimeout } from 'node:timers';
import { pathToFileURL } from 'node:url';
import { letServerWait } from '../../system/lab/patience.mjs';
import { endObservers } from './observers.mjs';
import { BEGIN, END } from './warm-processes.mjs';

const require = createRequire(import.meta.url);
const EXIT = Symbol('the script has ended the process');
const exit = process.exit.bind(process);
const databases = openedDatabases();
const servers = openedServers();
const timers = startedTimers();
let running = false;
let runs = 0;
let waitAsBefore = () => undefined;

process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);

process.on('message', (run) => void begin(run));

async function begin({ script, args, env, isPatient }) {
  running = true;
  mark(BEGIN);
  process.argv = [process.execPath, script, ...args];
  process.env = env;
  // From here on only what the script does keeps the event loop.
  process.channel.unref();
  // The script runs again; the run before has loaded its imports.
  runs += 1;
  waitAsBefore();
  if (isPatient) waitAsBefore = await letServerWait(script);
  await import(`${pathToFileURL(script)}?run=${runs}`);
}

process.exit = (code = process.exitCode ?? 0) => {
  finish(code);
  release();
  throw EXIT;
};

process.on('beforeExit', () => {
  finish(process.exitCode ?? 0);
  release();
  if (holdsDatabase()) exit(0);
  process.exitCode = undefined;
  process.channel.ref();
  process.send({ idle: true });
});

process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
process.on('disconnect', () => exit(0));

function fail(error) {
  // An error after the end of the run would have ended with the process.
  if (error === EXIT || !running) return;
  process.stderr.write(`${error?.stack ?? error}\n`);
  exit(128 + constants.signals.SIGABRT);
}

/**
 * The embedded databases that are opened from now on. A database that nothing refers to is closed as in any
 * process.
 */
function openedDatabases() {
  const opened = new Set();
  // Replaces the class in the addon: a module that imports the driver has the class from the time when it was loaded.
  const driver = require('better-sqlite3/build/Release/better_sqlite3.node');
  driver.Database = class extends driver.Database {
    constructor(...options) {
      super(...options);
      opened.add(new WeakRef(this));
    }
  };
  return opened;
}

/** The servers that listen from now on, until they are closed: also one that keeps no process. */
function openedServers() {
  const opened = new Set();
  const { prototype } = Server;
  const { listen } = prototype;
  prototype.listen = function (...options) {
    opened.add(this);
    this.once('close', () => opened.delete(this));
    return listen.apply(this, options);
  };
  return opened;
}

/** The timers that are started from now on, with those that are over. */
function startedTimers() {
  const started = new Set();
  for (const name of ['setTimeout', 'setInterval']) {
    globalThis[name] = new Proxy(globalThis[name], {
      apply(start, self, options) {
        const timer = start(...options);
        started.add(timer);
        return timer;
      },
    });
  }
  return started;
}

/** Closes what the end of a process closes, so that the next run can do without another. */
function release() {
  for (const database of databases) {
    try {
      database.deref()?.close();
    } catch {
      // It is in the midst of a query, and stays open: `holdsDatabase` will tell.
    }
  }
  databases.clear();
  for (const timer of timers) clearTimeout(timer);
  timers.clear();
  endObservers();
  for (const event of process.eventNames()) {
    if (String(event).startsWith('SIG')) process.removeAllListeners(event);
  }
  for (const server of servers) server.close();
  const own = [process.stdin, process.stdout, process.stderr];
  for (const handle of process._getActiveHandles()) {
    if (handle instanceof Socket && !own.includes(handle)) handle.destroy();
  }
}

/** Whether a script that ended the process has left a database open, which may be locked. */
function holdsDatabase() {
  return readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('.sqlite');
    } catch {
      // It was the one by which the directory was read.
      return false;
    }
  });
}

/** Ends the run. Later output belongs to no run. */
function finish(code) {
  if (!running) return;
  running = false;
  mark(END);
  process.send({ code });
}

/** On both streams, which are pipes, and so written to at once. */
function mark(sign) {
  process.stdout.write(sign);
  process.stderr.write(sign);
}

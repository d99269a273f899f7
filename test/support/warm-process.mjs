// A process in which the scripts of dist run one after the other. What costs most of a short command
// is to load its modules, and they are loaded once here. Each run has its own arguments and
// environment; it is over when nothing keeps the event loop any more, or at `process.exit`.
import { readdirSync, readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Server, Socket } from 'node:net';
import { constants } from 'node:os';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { BEGIN, END } from './warm-processes.mjs';

const require = createRequire(import.meta.url);
const EXIT = Symbol('the script has ended the process');
const exit = process.exit.bind(process);
const databases = openedDatabases();
let running = false;
let runs = 0;

process.setMaxListeners(0);
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);

process.on('message', ({ script, args, env }) => {
  running = true;
  mark(BEGIN);
  process.argv = [process.execPath, script, ...args];
  process.env = env;
  // From here on only what the script does keeps the event loop.
  process.channel.unref();
  // The script runs anew; what it imports has been loaded by the run before.
  runs += 1;
  void import(`${pathToFileURL(script)}?run=${runs}`);
});

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
  // What fails after the end would have ended with the process.
  if (error === EXIT || !running) return;
  process.stderr.write(`${error?.stack ?? error}\n`);
  exit(128 + constants.signals.SIGABRT);
}

/** The embedded databases that are opened from now on, and not released yet. */
function openedDatabases() {
  const opened = new Set();
  // Beneath the driver, whose module `import` and `require` each keep for themselves.
  const driver = require('better-sqlite3/build/Release/better_sqlite3.node');
  driver.Database = class extends driver.Database {
    constructor(...options) {
      super(...options);
      opened.add(this);
    }
  };
  return opened;
}

/** Closes what the end of a process closes, so that the next run can do without another. */
function release() {
  for (const database of databases) {
    try {
      database.close();
    } catch {
      // It is in the midst of a query, and stays open: `holdsDatabase` will tell.
    }
  }
  databases.clear();
  for (const event of process.eventNames()) {
    if (String(event).startsWith('SIG')) process.removeAllListeners(event);
  }
  const own = [process.stdin, process.stdout, process.stderr];
  for (const handle of process._getActiveHandles()) {
    if (handle instanceof Server) handle.close();
    else if (handle instanceof Socket && !own.includes(handle)) handle.destroy();
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

/** What is written after the end is nobody's. */
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

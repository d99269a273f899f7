// Loaded before a server (`NODE_OPTIONS=--import`): its clock is ahead by the milliseconds that the file of CLOCK_FILE
// has. SIGWINCH reads the file again, and runs what is done once an hour; then the file of the same name with `.read` has
// what was read.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const HOUR_MS = 3_600_000;
const file = process.env.CLOCK_FILE;
const hourly = [];
let ahead = Number(readFileSync(file, 'utf8'));

// TypeScript would take an assignment for a declaration.
Object.assign(globalThis, {
  Date: class extends Date {
    constructor(...given) {
      if (given.length === 0) super(Date.now());
      else super(...given);
    }

    static now() {
      return super.now() + ahead;
    }
  },
  setInterval: new Proxy(globalThis.setInterval, {
    apply(start, self, given) {
      if (given[1] === HOUR_MS) hourly.push(given[0]);
      return start.apply(self, given);
    },
  }),
});

process.on('SIGWINCH', () => {
  ahead = Number(readFileSync(file, 'utf8'));
  for (const callback of hourly) callback();
  writeFileSync(`${file}.read`, String(ahead));
});

import type { Logger } from '@nestjs/common';
import { logRepeated } from '../../src/platform/common/repeated-failures.ts';

type Line = [level: string, fields: object];

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.runOnlyPendingTimers();
  jest.useRealTimers();
});

/** A log, with the lines that it has been given. */
function startLog() {
  const lines: Line[] = [];
  const at = (level: string) => (fields: object) => lines.push([level, fields]);
  const logger = { log: at('log'), warn: at('warn'), error: at('error') } as unknown as Logger;
  return { logger, lines };
}

/** Fails ten times a second for some seconds. */
function failFor(seconds: number, fail: (n: number) => void): void {
  for (let n = 0; n < seconds * 10; n++) {
    fail(n);
    jest.advanceTimersByTime(100);
  }
}

test('a failure of every call has a line at its start, one a minute with a count, and one at its end', () => {
  const { logger, lines } = startLog();
  failFor(130, (n) => {
    logRepeated(logger, 'warn', { msg: 'away', request_id: `r${n}`, err: `cause ${n}` });
  });
  jest.advanceTimersByTime(60_000);
  expect(lines).toEqual([
    ['warn', { msg: 'away', request_id: 'r0', err: 'cause 0' }],
    ['warn', { msg: 'away: continues', times: 599, err: 'cause 599' }],
    ['warn', { msg: 'away: continues', times: 600, err: 'cause 1199' }],
    ['log', { msg: 'away: ended', times: 1300, seconds: 130 }],
  ]);
});

test('a failure that comes again after its end begins again, and another has lines of its own', () => {
  const { logger, lines } = startLog();
  for (let outage = 0; outage < 2; outage++) {
    logRepeated(logger, 'warn', { msg: 'away', err: outage });
    logRepeated(logger, 'error', { msg: 'not recorded', err: outage });
    jest.advanceTimersByTime(30_000);
  }
  const oneOutage = (err: number) => [
    ['warn', { msg: 'away', err }],
    ['error', { msg: 'not recorded', err }],
    ['log', { msg: 'away: ended', times: 1, seconds: 0 }],
    ['log', { msg: 'not recorded: ended', times: 1, seconds: 0 }],
  ];
  expect(lines).toEqual([...oneOutage(0), ...oneOutage(1)]);
});

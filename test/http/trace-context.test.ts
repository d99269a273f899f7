import type { IncomingMessage } from 'node:http';
import { traceContext } from '../../src/platform/common/http/observing/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

const read = (traceparent: string | string[]) =>
  traceContext({ headers: { traceparent } } as unknown as IncomingMessage);

test.each([
  `00-${TRACE}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}-ff`,
  `cc-${TRACE}-${PARENT}-01`,
  `cc-${TRACE}-${PARENT}-01-what-the-future-brings`,
])('%s is part of a trace', (traceparent) => {
  expect(read(traceparent)).toEqual({ trace_id: TRACE, parent_id: PARENT });
});

test.each([
  '',
  'x',
  `00-${TRACE}-${PARENT}`,
  `00-${TRACE}-${PARENT}-1`,
  `00-${TRACE}-${PARENT}-01-more`,
  `00-${TRACE}-${PARENT}-01 `,
  `ff-${TRACE}-${PARENT}-01`,
  `cc-${TRACE}-${PARENT}-01more`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${PARENT}-01\n`,
  `00-${TRACE}0-${PARENT}-01`,
])('%j is not', (traceparent) => {
  expect(read(traceparent)).toBeUndefined();
});

test('a header that was sent twice is not', () => {
  expect(read(`00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`)).toBeUndefined();
});

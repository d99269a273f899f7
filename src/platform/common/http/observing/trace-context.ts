import type { IncomingMessage } from 'node:http';

/** Version 00 ends after its flags; a later one may continue (sections 3.2.2 and 4.1). */
const TRACEPARENT =
  /^(?!ff)(?:00(?=.{53}$)|(?!00)[\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-.*)?$/;

/** The trace of a request: 32 and 16 hexadecimal digits. */
export interface TraceContext {
  trace_id: string;
  parent_id: string;
}

/** Parses the `traceparent` of a request (W3C Trace Context); undefined without a valid one. */
export function traceContext({ headers }: IncomingMessage): TraceContext | undefined {
  const { traceparent } = headers;
  const match = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent) : null;
  return match ? { trace_id: match[1]!, parent_id: match[2]! } : undefined;
}

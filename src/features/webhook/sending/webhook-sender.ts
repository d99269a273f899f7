import type { LookupAddress } from 'node:dns';
import { currentTime } from '../../../platform/common/time.ts';
import { Resolver as NameServers } from 'node:dns/promises';
import { type IncomingMessage, request as requestByHttp, type RequestOptions } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { redactTokens } from '../../../platform/common/secret/secrets.ts';
import { MAX_RETRY_AFTER_MS } from './attempt-times.ts';
import type { AddressRules } from './address-rules.ts';

export interface Message {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Reasons for a missing response; docs/guides/webhooks.md describes each. */
export const sendFailures = [
  'address_forbidden',
  'name_not_resolved',
  'connection_refused',
  'connection_lost',
  'tls_failed',
  'response_malformed',
  'timeout',
  'connection_failed',
] as const;

type SendFailure = (typeof sendFailures)[number];

/** The result of an attempt: a response with any status, or the reason why there is none. */
export type Sent =
  | { status: number; response: string; retryAfterMs: number | null; failure?: undefined }
  | { failure: SendFailure; status?: undefined };

export type Resolver = (name: string) => Promise<LookupAddress[]>;

export interface SenderOptions {
  rules: AddressRules;
  allowHttp: boolean;
  /** Limit of the whole attempt, from the look-up of the name to the last byte of the response. */
  deadlineMs: number;
  resolve?: Resolver;
}

/** Bytes read of a response. */
const RESPONSE_BYTES = 1024;
/** Well within the deadline of an attempt. */
const NAME_SERVERS = { timeout: 2000, tries: 2 };
const HTTP_DATE = /^[A-Z][a-z]{2,8}[, ]/;

/**
 * Posts messages to permitted addresses only. It connects to the very addresses that it checked, so that a name cannot
 * lead elsewhere in between. It follows no redirect and keeps no connection.
 */
export class WebhookSender {
  private readonly rules: AddressRules;
  private readonly allowHttp: boolean;
  private readonly deadlineMs: number;
  private readonly resolve: Resolver;

  constructor({ rules, allowHttp, deadlineMs, resolve = resolveAll }: SenderOptions) {
    this.rules = rules;
    this.allowHttp = allowHttp;
    this.deadlineMs = deadlineMs;
    this.resolve = resolve;
  }

  /** Makes one attempt; never rejects, and ends within the deadline. */
  async send({ url, headers, body }: Message): Promise<Sent> {
    const target = new URL(url);
    // The setting may have changed since the endpoint was created.
    if (target.protocol === 'http:' && !this.allowHttp) return { failure: 'address_forbidden' };
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // Node does not look up literal addresses, so the look-up below would not check them.
    if (isIP(host) !== 0 && !this.rules.permits(host)) return { failure: 'address_forbidden' };
    try {
      return await this.post(
        target,
        {
          method: 'POST',
          agent: false,
          lookup: this.checkedLookup,
          headers: {
            ...headers,
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(body),
          },
        },
        body,
      );
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  private post(target: URL, options: RequestOptions, body: string): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const request = (target.protocol === 'http:' ? requestByHttp : requestByHttps)(
        target,
        options,
      );
      const timer = setTimeout(() => {
        request.destroy(new SendError('timeout'));
      }, this.deadlineMs);
      // Once there is a status it counts, whatever happens to the rest of the response.
      let hasStatus = false;
      const fail = (error: Error): void => {
        if (!hasStatus) reject(error);
      };
      request.on('error', fail);
      request.on('close', () => {
        clearTimeout(timer);
        fail(new SendError('connection_lost'));
      });
      request.on('response', (response) => {
        hasStatus = true;
        void readStart(response).then((start) => {
          resolve({
            status: response.statusCode!,
            response: toStoredText(start),
            retryAfterMs: retryAfterOf(response),
          });
          request.destroy();
        });
      });
      request.on('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new SendError('response_malformed'));
      });
      request.end(body);
    });
  }

  /** Returns only checked addresses to Node: one forbidden address refuses the name. */
  private readonly checkedLookup: LookupFunction = (name, { all }, callback) => {
    this.resolve(name).then(
      (addresses) => {
        if (addresses.length === 0) {
          callback(new SendError('name_not_resolved'), []);
        } else if (!addresses.every(({ address }) => this.rules.permits(address))) {
          callback(new SendError('address_forbidden'), []);
        } else if (all) {
          callback(null, addresses);
        } else {
          callback(null, addresses[0]!.address, addresses[0]!.family);
        }
      },
      () => {
        callback(new SendError('name_not_resolved'), []);
      },
    );
  };
}

class SendError extends Error {
  constructor(readonly failure: SendFailure) {
    super(failure);
  }
}

/**
 * Asks the name servers directly: look-ups of the system use threads that the database needs, and cannot be cancelled
 * if a name server does not respond.
 */
async function resolveAll(name: string): Promise<LookupAddress[]> {
  const servers = new NameServers(NAME_SERVERS);
  const [v4, v6] = await Promise.allSettled([servers.resolve4(name), servers.resolve6(name)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
  ];
}

/** Reads the first bytes of a response: the limit, or fewer if it ends or breaks off before. */
function readStart(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (): void => {
      resolve(Buffer.concat(chunks).subarray(0, RESPONSE_BYTES));
    };
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= RESPONSE_BYTES) end();
    });
    response.on('close', end);
    response.on('error', end);
  });
}

/** Makes text that both databases can hold, without tokens that a receiver has sent back. */
function toStoredText(bytes: Buffer): string {
  return redactTokens(bytes.toString('utf8').replaceAll('\0', '\uFFFD'));
}

/** Parses `Retry-After` (RFC 9110, section 10.2.3) to milliseconds, at most a day; null without one. */
function retryAfterOf({ headers }: IncomingMessage): number | null {
  const text = headers['retry-after']?.trim() ?? '';
  // Accepts the format of HTTP only: `Date.parse` would read "-1" as a year.
  const moment = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : moment - currentTime();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

const FAILURES: Record<string, SendFailure> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
};

function failureOf(error: unknown): SendFailure {
  if (error instanceof SendError) return error.failure;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('HPE_')) return 'response_malformed';
  if (/^ERR_(TLS|SSL)|CERT|SIGNATURE|^EPROTO$/.test(code)) return 'tls_failed';
  return FAILURES[code] ?? 'connection_failed';
}

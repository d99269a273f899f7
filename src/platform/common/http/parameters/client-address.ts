import { Logger } from '@nestjs/common';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { isIP, isIPv6 } from 'node:net';
import { redactTokens } from '../../secret/secrets.ts';

/** Addresses as proxies write them: `203.0.113.9:61598`, `[2001:db8::1]`, `[2001:db8::1]:443`. */
const WITH_PORT = /^(?:([\d.]+):\d{1,5}|\[([^[\]]+)\](?::\d{1,5})?)$/;
const ZONE = /%.*$/;
const MAX_LOGGED_LENGTH = 100;

const logger = new Logger('ClientAddress');
/** Applications that have already logged an unreadable report. */
const warned = new WeakSet<object>();

/**
 * Returns the IP address of the client as the proxies of TRUST_PROXY report it, an IPv4 address in its own form even on
 * an IPv6 socket; undefined if they report none. Logs an unreadable report once for each application.
 */
export function clientAddress(request: Request): string | undefined {
  const reported = request.headers['x-forwarded-for'];
  if (reported === undefined) return toAddress(request.socket.remoteAddress ?? '');
  const hop = farthestTrusted(request, [reported].flat().join());
  const address = toAddress(hop);
  if (address === undefined && hop !== '' && !warned.has(request.app)) {
    warned.add(request.app);
    const client = redactTokens(hop).slice(0, MAX_LOGGED_LENGTH);
    logger.warn({ msg: 'X-Forwarded-For does not contain an IP address', client });
  }
  return address;
}

/**
 * Returns the caller of the last proxy that Express trusts, as Express does, but compares addresses without ports: a
 * trusted proxy is known by its address.
 */
function farthestTrusted({ app, socket }: Request, reported: string): string {
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const entries = reported.split(',').map((entry) => entry.trim());
  const hops = [socket.remoteAddress ?? '', ...entries.filter(Boolean).reverse()];
  const index = hops.findIndex((hop, at) => {
    try {
      return !isTrusted(toAddress(hop) ?? hop, at);
    } catch {
      // The function of an application may not expect what a client sends in place of an address.
      return true;
    }
  });
  return hops.at(index)!;
}

function toAddress(text: string): string | undefined {
  const [, ipv4, bracketed] = WITH_PORT.exec(text) ?? [];
  const address = (ipv4 ?? bracketed ?? text).replace(ZONE, '');
  if (!isIPv6(address)) return isIP(address) === 0 ? undefined : address;
  // The library takes the deprecated form ::192.0.2.1 for a mapped one.
  if (/^::\d+\./.test(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : address;
}

/** Returns the block of one client: its IPv4 address, or the /64 block of its IPv6 address. */
export function addressBlock(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!isIPv6(address)) return address;
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

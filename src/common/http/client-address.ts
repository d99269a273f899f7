import type { Request } from 'express';
import { isIP, isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Returns the IP address of the client as the proxies of TRUST_PROXY report it, an IPv4 address in
 * its own form even on an IPv6 socket; undefined if they report no address.
 */
export function clientAddress(request: Request): string | undefined {
  // Without a report of a proxy Express has nothing to evaluate.
  const address =
    (request.headers['x-forwarded-for'] === undefined
      ? request.socket.remoteAddress
      : request.ip) ?? '';
  const plain = MAPPED_IPV4.exec(address)?.[1] ?? address.replace(/%.*$/, '');
  return isIP(plain) === 0 ? undefined : plain;
}

/**
 * Returns the block that one client can send from: its IPv4 address, or the /64 block of its IPv6
 * address.
 */
export function addressBlock(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!isIPv6(address)) return address;
  // The URL parser writes an address in its one short form (RFC 5952).
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail);
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

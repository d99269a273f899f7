import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import { EMBEDDING_BITS, withoutEmbedding } from '../common/http/parameters/embedded-ipv4.ts';
import { ConfigError } from './variable.ts';

/**
 * Reads the proxies that may report the client's address: their number, or their addresses. Refuses `true`, which would
 * trust an address that any client can write into a header.
 */
export function trustedProxies(value: string): number | string[] {
  if (/^\d{1,2}$/.test(value)) return Number(value);
  const proxies = value.split(',').map((proxy) => proxy.trim());
  if (proxies.every(isProxyRange)) return proxies;
  throw new ConfigError(
    'must be the number of proxies in front (0 for none), or a list of their addresses and CIDR ranges; loopback, linklocal and uniquelocal name such ranges.',
  );
}

function isProxyRange(proxy: string): boolean {
  return ['loopback', 'linklocal', 'uniquelocal'].includes(proxy) || isRange(proxy);
}

function isRange(range: string): boolean {
  const [address = '', prefix, ...more] = range.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0 || address.includes('%')) return false;
  return (
    prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
  );
}

export function cidrs(value: string): string[] {
  const ranges = value.split(',').map((range) => range.trim());
  if (!ranges.every(isRange)) {
    throw new ConfigError(
      'must be a list of addresses and CIDR ranges, such as 10.1.2.0/24,fd00:1::/32.',
    );
  }
  if (ranges.some(isWiderThanItsForm)) {
    throw new ConfigError(
      'must not have an IPv4 address in an IPv6 form with a prefix below 96, which would mean every IPv4 address; write the IPv4 range.',
    );
  }
  return ranges;
}

/** Whether a range is written as an IPv4 address in an IPv6 form, and extends beyond that form. */
function isWiderThanItsForm(range: string): boolean {
  const [text = '', prefix] = range.split('/');
  const address = ipaddr.parse(text);
  return withoutEmbedding(address) !== address && Number(prefix ?? 128) < EMBEDDING_BITS;
}

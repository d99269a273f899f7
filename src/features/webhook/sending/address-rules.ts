import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import {
  EMBEDDING_BITS,
  type IpAddress,
  withoutEmbedding,
} from '../../../platform/common/http/parameters/embedded-ipv4.ts';

/** The one block from which public addresses are assigned (IANA); ranges within it can still be special. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** The address of a large cloud's metadata and agents, which lies among public ones. */
const WIRE_SERVER = '168.63.129.16';

/**
 * Decides which addresses webhooks may be sent to: public unicast ones, and those of an allow-list. An IPv6 address
 * that embeds an IPv4 address is judged as that one, in any notation.
 */
export class AddressRules {
  private readonly allowed: [IpAddress, number][];

  /** @param allowed CIDR ranges that are permitted although they are not public */
  constructor(allowed: readonly string[] = []) {
    this.allowed = allowed.map((range) => {
      const [address, prefix] = ipaddr.parseCIDR(
        range.includes('/') ? range : `${range}/${isIP(range) === 4 ? 32 : 128}`,
      );
      const inner = withoutEmbedding(address);
      // `cidrs` accepts no shorter prefix of an embedded address.
      return inner === address ? [address, prefix] : [inner, prefix - EMBEDDING_BITS];
    });
  }

  /** Refuses a text that is not an address. */
  permits(text: string): boolean {
    // An address with a zone is link-local.
    if (isIP(text) === 0 || text.includes('%')) return false;
    const address = withoutEmbedding(ipaddr.parse(text));
    return isPublic(address) || this.allowed.some((range) => isWithin(address, range));
  }
}

function isPublic(address: IpAddress): boolean {
  if (address.range() !== 'unicast' || address.toString() === WIRE_SERVER) return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(...GLOBAL_UNICAST);
}

function isWithin(address: IpAddress, [range, prefix]: [IpAddress, number]): boolean {
  return address.kind() === range.kind() && (address as ipaddr.IPv4).match(range, prefix);
}

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The one block of which public addresses are given out (IANA); ranges within it can still be special. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** The metadata and agents' address of a large cloud, which lies amid public ones. */
const WIRE_SERVER = '168.63.129.16';
/** Prefixes whose last 32 bits are an IPv4 address: mapped, compatible (RFC 4291), NAT64 (RFC 6052). */
const EMBEDDING = ['::ffff:0:0/96', '::/96', '64:ff9b::/96'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

/**
 * Decides which addresses webhooks may be sent to: public unicast ones, and those of an allow-list. An
 * IPv6 address that stands for an IPv4 address is judged as that one, whichever way it is written.
 */
export class AddressRules {
  private readonly allowed: [Address, number][];

  /** @param allowed CIDR ranges that may be sent to although they are not public */
  constructor(allowed: readonly string[] = []) {
    this.allowed = allowed.map((range) => {
      const [address, prefix] = ipaddr.parseCIDR(range.includes('/') ? range : wholly(range));
      const inner = unwrapped(address);
      return inner === address ? [address, prefix] : [inner, Math.max(0, prefix - 96)];
    });
  }

  /** Whether webhooks may be sent to the address; a text that is none is refused. */
  permits(text: string): boolean {
    // An address with a zone is of a link.
    if (isIP(text) === 0 || text.includes('%')) return false;
    const address = unwrapped(ipaddr.parse(text));
    return isPublic(address) || this.allowed.some((range) => isWithin(address, range));
  }
}

function wholly(address: string): string {
  return `${address}/${isIP(address) === 4 ? 32 : 128}`;
}

function unwrapped(address: Address): Address {
  if (address.kind() === 'ipv4') return address;
  const embeds = EMBEDDING.some(([prefix, bits]) => (address as ipaddr.IPv6).match(prefix, bits));
  const bytes = address.toByteArray();
  // The unspecified address and that of loopback lie in the range of the compatible ones.
  const isOwnForm = bytes.slice(0, 15).every((byte) => byte === 0);
  return embeds && !isOwnForm ? new ipaddr.IPv4(bytes.slice(12)) : address;
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || address.toString() === WIRE_SERVER) return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(...GLOBAL_UNICAST);
}

function isWithin(address: Address, [range, prefix]: [Address, number]): boolean {
  return address.kind() === range.kind() && (address as ipaddr.IPv4).match(range, prefix);
}

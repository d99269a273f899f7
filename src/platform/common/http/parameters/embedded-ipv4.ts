import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** Length of the prefixes before an embedded IPv4 address. */
export const EMBEDDING_BITS = 96;
/** Mapped, compatible (RFC 4291), NAT64 (RFC 6052). */
const EMBEDDING = ['::ffff:0:0', '::', '64:ff9b::'].map((prefix) => ipaddr.IPv6.parse(prefix));

/** Returns the IPv4 address that an IPv6 address embeds, or else the address itself. */
export function withoutEmbedding(address: IpAddress): IpAddress {
  if (address.kind() === 'ipv4') return address;
  const embeds = EMBEDDING.some((prefix) => (address as ipaddr.IPv6).match(prefix, EMBEDDING_BITS));
  const bytes = address.toByteArray();
  // The unspecified and the loopback address lie in the range of the compatible ones.
  const isOwnForm = bytes.slice(0, 15).every((byte) => byte === 0);
  return embeds && !isOwnForm ? new ipaddr.IPv4(bytes.slice(12)) : address;
}

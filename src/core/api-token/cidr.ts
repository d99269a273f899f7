import { BlockList, isIP } from 'node:net';
import { listOf, orNull, textThat } from '../../platform/common/fields.ts';

const MAX_RANGES = 50;
const RANGE = /^([0-9A-Fa-f.:]{2,45})(?:\/(\d{1,3}))?$/;
const LEADING_ZERO = /\/0\d/;
const MAPPED = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/;
const MAPPED_PREFIX = 96;

/** Validates a list of addresses and CIDR ranges (RFC 4632, RFC 4291); null allows every address. */
export const cidrViolations = orNull(
  listOf(
    textThat(
      // Checked here, because `parse` also reads values stored before leading zeros were refused.
      (range) => parse(range) !== undefined && !LEADING_ZERO.test(range),
      'A range must be an address or a CIDR range: 203.0.113.7, 10.0.0.0/8, fd00::/8.',
    ),
    { least: 1, most: MAX_RANGES, canRepeat: true },
  ),
);

/** Ranges by address family, in a form that is quick to search. A range of one family contains no address of the other. */
export type Ranges = Record<Family, BlockList>;

export function toRanges(ranges: readonly string[]): Ranges {
  // Two lists: in a single one, `::/0` would also contain every IPv4 address, in its mapped form.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of ranges) {
    const { address, prefix, family } = parse(range)!;
    lists[family].addSubnet(address, prefix, family);
  }
  return lists;
}

/** Tells whether one of the ranges contains `address`; an unknown address is in none. */
export function isInRanges(address: string | null, ranges: Ranges): boolean {
  const known = address === null ? undefined : parse(address);
  return known !== undefined && ranges[known.family].check(known.address, known.family);
}

export function areWithin(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((range) =>
    outer.some((around) => {
      const { address, prefix, family } = parse(range)!;
      return prefix >= parse(around)!.prefix && toRanges([around])[family].check(address, family);
    }),
  );
}

type Family = 'ipv4' | 'ipv6';

interface Range {
  address: string;
  prefix: number;
  family: Family;
}

/** Parses a range; an IPv4 address in its IPv6 form (`::ffff:0:0/96`) counts as the IPv4 address. */
function parse(range: string): Range | undefined {
  const [, address = '', digits] = RANGE.exec(range) ?? [];
  const version = isIP(address);
  if (version === 0) return undefined;
  const longest = version === 4 ? 32 : 128;
  const prefix = Number(digits ?? longest);
  if (prefix > longest) return undefined;
  if (version === 4) return { address, prefix, family: 'ipv4' };
  const mapped = prefix < MAPPED_PREFIX ? undefined : mappedIpv4(address);
  return mapped === undefined
    ? { address, prefix, family: 'ipv6' }
    : { address: mapped, prefix: prefix - MAPPED_PREFIX, family: 'ipv4' };
}

function mappedIpv4(address: string): string | undefined {
  // The URL parser writes an address in its one short form (RFC 5952), the last 32 bits in hexadecimal.
  const [, high, low] = MAPPED.exec(new URL(`http://[${address}]`).hostname) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [upper, lower] = [parseInt(high, 16), parseInt(low, 16)];
  return [upper >> 8, upper & 255, lower >> 8, lower & 255].join('.');
}

import { BlockList, isIP } from 'node:net';
import type { Violation } from '../common/errors';

const MAX_RANGES = 50;

/** What is wrong with a list of addresses and CIDR ranges (RFC 4632, RFC 4291); null allows every address. */
export function cidrViolations(value: unknown, pointer: string): Violation[] {
  if (value === null) return [];
  if (!Array.isArray(value) || value.length === 0) {
    const detail = 'The allowed_cidrs must be a list of at least one range, or null for no limit.';
    return [{ pointer, code: Array.isArray(value) ? 'empty' : 'type', detail }];
  }
  if (value.length > MAX_RANGES) {
    const detail = `The list must have at most ${MAX_RANGES} ranges.`;
    return [{ pointer, code: 'too_many', detail }];
  }
  return value.flatMap((range: unknown, index): Violation[] => {
    const place = `${pointer}/${index}`;
    const detail = 'A range must be an address or a CIDR range: 203.0.113.7, 10.0.0.0/8, fd00::/8.';
    if (typeof range !== 'string') return [{ pointer: place, code: 'type', detail }];
    return parse(range) ? [] : [{ pointer: place, code: 'not_acceptable', detail }];
  });
}

/** The ranges in a form that is quick to ask. */
export function toRanges(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const { address, prefix, family } = parse(range)!;
    list.addSubnet(address, prefix, family);
  }
  return list;
}

/** Whether `address` is in one of the ranges. Where the address is not known, it is in none. */
export function isInRanges(address: string | null, ranges: BlockList): boolean {
  return address !== null && ranges.check(address, familyOf(address));
}

/** Whether every range of `inner` lies in one of `outer`. */
export function areWithin(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((range) =>
    outer.some((around) => {
      const { address, prefix, family } = parse(range)!;
      const wide = parse(around)!;
      return (
        family === wide.family && prefix >= wide.prefix && toRanges([around]).check(address, family)
      );
    }),
  );
}

interface Range {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

function parse(range: string): Range | undefined {
  const [, address = '', digits] = /^([0-9A-Fa-f.:]{2,45})(?:\/(\d{1,3}))?$/.exec(range) ?? [];
  if (isIP(address) === 0) return undefined;
  const family = familyOf(address);
  const longest = family === 'ipv4' ? 32 : 128;
  const prefix = Number(digits ?? longest);
  return prefix <= longest ? { address, prefix, family } : undefined;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

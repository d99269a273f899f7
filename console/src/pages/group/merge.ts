import { layOut, membersOf } from '../../json-text.ts';
import type { Written } from './resource.ts';

/** The text of each value by its place, such as `properties.seats`. */
export function valuesOf({ name, mapping, properties, valid_until }: Written): Map<string, string> {
  const members = ([of, text]: [string, string]) =>
    [...membersOf(text)].map(([key, value]): [string, string] => [`${of}.${key}`, value]);
  const own: [string, string][] = [
    ['name', JSON.stringify(name)],
    ...(valid_until === null
      ? []
      : [['valid_until', JSON.stringify(valid_until)] as [string, string]]),
  ];
  return new Map([...own, ...Object.entries({ mapping, properties }).flatMap(members)]);
}

/** Tells whether two values are the same, however they are laid out. */
export const isSame = (one: string | undefined, other: string | undefined) =>
  layOut(one ?? '') === layOut(other ?? '');

/**
 * Merges two edits of one group, value by value.
 * @param isMine whether a value that both have changed is the one of `mine`
 * @returns the merged group, and the places that both have changed differently
 */
export function merge(
  base: Written,
  theirs: Written,
  mine: Written,
  isMine: boolean,
): { merged: Written; clashes: string[] } {
  const [before, now, own] = [valuesOf(base), valuesOf(theirs), valuesOf(mine)];
  const merged = new Map(now);
  const clashes: string[] = [];
  for (const place of new Set([...before.keys(), ...now.keys(), ...own.keys()])) {
    const [was, is, wanted] = [before.get(place), now.get(place), own.get(place)];
    if (isSame(wanted, was) || isSame(wanted, is)) continue;
    const isClash = !isSame(is, was);
    if (isClash) clashes.push(place);
    if (isClash && !isMine) continue;
    if (wanted === undefined) merged.delete(place);
    else merged.set(place, wanted);
  }
  const object = (member: string) => {
    const own = [...merged].filter(([place]) => place.startsWith(`${member}.`));
    const texts = own.map(
      ([place, text]) => `${JSON.stringify(place.slice(member.length + 1))}:${text}`,
    );
    return `{${texts.join(',')}}`;
  };
  const textAt = (place: string) => JSON.parse(merged.get(place) ?? 'null') as string | null;
  return {
    merged: {
      name: textAt('name') ?? '',
      mapping: object('mapping'),
      properties: object('properties'),
      valid_until: textAt('valid_until'),
    },
    clashes,
  };
}

/** The value of a property with which a range compares it. */
export type PropertyScalar = string | number | boolean;

/** The user groups that a restricted API token is for: those with these ids, or with these values of properties. */
export type UserGroupRange =
  | { ids: readonly string[]; where?: undefined }
  | { where: Readonly<Record<string, PropertyScalar>>; ids?: undefined };

export const MAX_RANGE_PROPERTIES = 5;

/** Parses the column of an API token; null stands for every user group. */
export function parseRange(text: string | null): UserGroupRange | null {
  return text === null ? null : (JSON.parse(text) as UserGroupRange);
}

/** @param properties of the group, as JSON text */
export function covers(
  range: UserGroupRange | null,
  { providedId, properties }: { providedId: string; properties: string },
): boolean {
  if (range === null) return true;
  if (range.ids) return range.ids.includes(providedId);
  const values = new Map(Object.entries(JSON.parse(properties) as object));
  return Object.entries(range.where).every(([name, value]) => values.get(name) === value);
}

/** Returns the group if it exists for the reader. */
export function seenBy<Group extends { providedId: string; properties: string }>(
  { range }: { range: UserGroupRange | null },
  group: Group | undefined,
): Group | undefined {
  return group && covers(range, group) ? group : undefined;
}

/** Tells whether each group in one range is in the other, whatever groups there are. */
export function isWithinRange({ ids, where }: UserGroupRange, outer: UserGroupRange): boolean {
  if (ids) return outer.ids !== undefined && ids.every((id) => outer.ids.includes(id));
  return (
    outer.where !== undefined &&
    Object.entries(outer.where).every(
      ([name, value]) => new Map(Object.entries(where)).get(name) === value,
    )
  );
}

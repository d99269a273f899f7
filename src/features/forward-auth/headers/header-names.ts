/** The headers that every gateway gets, whatever its settings. */
export const GROUP_HEADER = 'X-User-Group';
export const NUMBER_HEADER = 'X-User-Group-Number';
export const ACTING_HEADER = 'X-User-Group-Acting';
/** Comes with a schema; without one no viewer may send it, or a twin of it. */
export const DATA_SOURCE_HEADER = 'X-User-Group-Data-Source';

export const OWN_HEADERS = [GROUP_HEADER, NUMBER_HEADER, ACTING_HEADER, DATA_SOURCE_HEADER];

const CHOSEN = /^(x|remote)-[a-z0-9-]{1,60}$/i;
/** Mean something to gateways, to this service or to applications: a value of a group must not. */
const TAKEN =
  /^x-(user-group|forwarded|gateway|accel|original|rewrite|content-type|request-id)(-|$)|^x-(real-ip|http-method(-override)?|method-override|sendfile)$/i;

/** Says what is wrong with the name of a header that a gateway chooses; undefined if nothing is. */
export function requireHeaderName(name: string): string | undefined {
  if (!CHOSEN.test(name)) {
    return 'which must begin with X- or Remote- and have letters, digits and "-".';
  }
  return TAKEN.test(name) ? 'which has a meaning of its own.' : undefined;
}

const PLAIN = /^[a-z0-9-]+$/i;

/**
 * Finds a header that an application could read as one of `names`: CGI, WSGI and R read `_` as `-`, some servers any
 * other mark too. A gateway overwrites the right spelling only.
 * @param rawHeaders names and values in turn, as Node has them
 * @returns which name it could be read as
 */
export function findTwin(
  rawHeaders: readonly string[],
  names: ReadonlySet<string>,
): string | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (PLAIN.test(name)) continue;
    const read = name.toLowerCase().replace(/[^a-z0-9]/g, '-');
    if (names.has(read)) return read;
  }
  return undefined;
}

import { signal } from './signal.ts';

/** The place in the page: the parts of the path after `#`, and the filters. */
export interface Place {
  path: string[];
  query: URLSearchParams;
}

function readPlace(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  return { path: path.split('/').map(decode), query: new URLSearchParams(query) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const place = signal(readPlace());

/** Tells whether the browser has led back to the place, or forward; and the address before it. */
export const way = { isReturn: markVisited(), from: '' };

/** Marks the entry of the history; returns whether it was there before. */
function markVisited(): boolean {
  const wasVisited = history.state !== null;
  if (!wasVisited) history.replaceState({}, '');
  return wasVisited;
}

// The place of a list is its own to keep.
history.scrollRestoration = 'manual';

addEventListener('hashchange', ({ oldURL }) => {
  way.isReturn = markVisited();
  way.from = new URL(oldURL).hash;
  place.value = readPlace();
});

/** The address of a place, for a link; each part of the path may hold any character. */
export function addressOf(path: (string | number)[], query: Record<string, string> = {}): string {
  const kept = Object.entries(query).filter(([, value]) => value !== '');
  const filters = new URLSearchParams(kept).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${filters && `?${filters}`}`;
}

export function goTo(address: string): void {
  location.hash = address;
}

/** Whole tokens wherever they stand, and the beginnings of tokens; each ends where its characters end. */
const TOKEN =
  /ug[ta]_[0-9A-Za-z]{38,}|eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+|\b(?:ug[ta]_[0-9A-Za-z]*|whsec_[\w+/=-]*|eyJ[\w-]*(?:\.[\w-]+)*)/;

/** The first token or signing secret in a text. It must not get into an address, which browsers keep. */
function tokenIn(text: string): string | undefined {
  return TOKEN.exec(text)?.[0];
}

/** The token that a pasted text is most likely about: the first in it, or one of another system by its place. */
export function cutToken(text: string): string {
  return tokenIn(text) ?? /(?:\bBearer\s+|\buserGroupToken=)([^\s&#"'<>]+)/i.exec(text)?.[1] ?? text.trim();
}

/**
 * The tokens in a text, each once. A line without one of this service is taken for a token of another system, which an
 * import has brought, if it can be one.
 */
export function tokensIn(text: string): string[] {
  const found = text.split('\n').flatMap((line) => {
    const own = line.match(/ug[ta]_[0-9A-Za-z]{38}|eyJ[\w-]+\.[\w-]+\.[\w-]+/g);
    return own ?? /^\s*((?!whsec_|.*:\/\/)(?=.*[0-9A-Za-z])[!-~]{20,255})\s*$/.exec(line)?.[1] ?? [];
  });
  return [...new Set(found)];
}

export function isLikeToken(text: string): boolean {
  return tokenIn(text) !== undefined;
}

/** Changes filters of the current place, without a new entry in the history; ignores what looks like a token. */
export function filter(changes: Record<string, string>): void {
  if (Object.values(changes).some(isLikeToken)) return;
  const query = { ...Object.fromEntries(place.value.query), ...changes };
  history.replaceState(history.state, '', addressOf(place.value.path, query));
  place.value = readPlace();
}

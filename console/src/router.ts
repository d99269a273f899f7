import { isHeld } from './hold.ts';
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

/** The number of the entry of the history that the page shows. */
let shown = 0;

/** Tells whether the browser has led back to the place, or forward; and the address before it. */
export const way = { isReturn: markVisited(), from: '' };
shown = numberHere()!;

/** Numbers the entry of the history; returns whether it was there before. */
function markVisited(): boolean {
  const wasVisited = numberHere() !== undefined;
  if (!wasVisited) history.replaceState({ at: shown + 1 }, '');
  return wasVisited;
}

function numberHere(): number | undefined {
  return (history.state as { at?: number } | null)?.at;
}

// A list keeps its own place.
history.scrollRestoration = 'manual';

addEventListener('hashchange', ({ oldURL }) => {
  const isReturn = markVisited();
  const at = numberHere()!;
  // The page was never left: what holds it has led the browser back.
  if (at === shown) return;
  if (isReturn && isHeld()) {
    history.go(shown - at);
    return;
  }
  shown = at;
  way.isReturn = isReturn;
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
  /ug[ta]_[0-9A-Za-z]{38,}|eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+|\b(?:ug[ta]_[0-9A-Za-z]*|whsec_[\w+/=-]*|eyJ[\w-]*(?:\.{1,2}[\w-]+)*)/;

/** The first token or signing secret in a text. It must not get into an address, which browsers keep. */
function tokenIn(text: string): string | undefined {
  return TOKEN.exec(text)?.[0];
}

/** The token that a pasted text is most likely about: the first in it, or one of another system by its place. */
export function cutToken(text: string): string {
  return (
    tokenIn(text) ??
    /(?:\bBearer\s+|\buserGroupToken=)([^\s&#"'<>]+)/i.exec(text)?.[1] ??
    text.trim()
  );
}

/**
 * The tokens in a text, each once: those of this service, and lines without one that may be tokens of another system,
 * which an import has brought.
 */
export function tokensIn(text: string): Record<'own' | 'others', string[]> {
  const own = new Set<string>();
  const others = new Set<string>();
  for (const line of text.split('\n')) {
    const found = line.match(/ug[ta]_[0-9A-Za-z]{38}|eyJ[\w-]+\.(?:\.[\w-]+\.)?[\w-]+\.[\w-]+/g);
    for (const token of found ?? []) own.add(token);
    if (!found && !/whsec_|:\/\//.test(line) && FOREIGN.test(line.trim())) others.add(line.trim());
  }
  return { own: [...own], others: [...others] };
}

export function isLikeToken(text: string): boolean {
  return tokenIn(text) !== undefined;
}

/** The form of each token that an import can bring. */
const FOREIGN = /^(?=.*[0-9A-Za-z])[!-~]{20,255}$/;
export const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** The id of an event, and the types of events that a filter names. */
const OF_EVENTS = /^(evt_\d+|[a-z_]+\.[a-z_.,*]+)$/;

/** Tells whether a text is a token or may be one of another system: it is sent in no address that nobody asked for. */
export function mayBeToken(text: string): boolean {
  const one = cutToken(text);
  return isLikeToken(text) || (FOREIGN.test(one) && !UUID.test(one) && !OF_EVENTS.test(one));
}

/** Changes filters of the current place, without a new entry in the history; ignores what looks like a token. */
export function filter(changes: Record<string, string>): void {
  if (Object.values(changes).some(isLikeToken)) return;
  const query = { ...Object.fromEntries(place.value.query), ...changes };
  history.replaceState(history.state, '', addressOf(place.value.path, query));
  place.value = readPlace();
}

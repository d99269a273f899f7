import { signal } from '@preact/signals';

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

addEventListener('hashchange', () => {
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

/** Changes filters of the current place, without a new entry in the history. */
export function filter(changes: Record<string, string>): void {
  const query = { ...Object.fromEntries(place.value.query), ...changes };
  history.replaceState(null, '', addressOf(place.value.path, query));
  place.value = readPlace();
}

import { useEffect, useRef, useState } from 'preact/hooks';
import { way } from './router.ts';
import { returns } from './session.ts';

export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  busy: boolean;
  reload: () => void;
  /** Loads again, and waits for it: a dialog that has changed the data closes after it, so that nobody edits the data of before. */
  reloaded: () => Promise<void>;
}

/** Loads when `inputs` change. The previous data stays until the next is there, so that nothing jumps. */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: unknown[],
): Loaded<T> {
  /** The callers of `reloaded`; a new list loads again. */
  const [waiting, setWaiting] = useState<(() => void)[]>([]);
  const [state, setState] = useState<{ data?: T | undefined; error?: unknown; busy: boolean }>({
    busy: true,
  });
  useEffect(() => {
    const ending = new AbortController();
    const show = (next: { data?: T; error?: unknown }) => {
      if (ending.signal.aborted) return;
      setState(({ data }) => ({ data, ...next, busy: false }));
      for (const resolve of waiting) resolve();
    };
    setState(({ data }) => ({ data, busy: true }));
    load(ending.signal).then(
      (data) => {
        show({ data });
      },
      (error: unknown) => {
        show({ error });
      },
    );
    return () => ending.abort();
  }, [...inputs, waiting, returns.value]);
  return {
    data: state.data,
    error: state.error,
    busy: state.busy,
    reload: () => {
      setWaiting((before) => [...before]);
    },
    reloaded: () =>
      new Promise((resolve) => {
        setWaiting((before) => [...before, resolve]);
      }),
  };
}

const WORKED_AT_ONCE = 6;

/** Runs `work` for each item, a few at a time; returns the results in the order of the items. */
export async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const takeOn = async () => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: WORKED_AT_ONCE }, takeOn));
  return results;
}

export interface Listed<T> {
  rows: T[];
  /** Whether the first rows are still loading. */
  fresh: boolean;
  busy: boolean;
  error: unknown;
  /** Loads the next rows; undefined at the end of the list. */
  more: (() => void) | undefined;
  reload: () => void;
  /** The number of entries that the service has examined, of a list that searches on by itself; Infinity if it is not known. */
  examined: number | undefined;
  /** Ends a search that goes on by itself; undefined while none does. */
  stop: (() => void) | undefined;
}

export interface Page<T> {
  rows: T[];
  next: string | undefined;
  /** The number of entries that the service has examined for the page: the list then searches on by itself. */
  examined?: number;
}

interface Kept {
  rows: unknown[];
  next: string | undefined;
  pages: number;
  examined: number | undefined;
  y: number;
}

/** The rows and places of lists that were left, by their address. */
const kept = new Map<string, Kept>();
const KEPT_PAGES = 20;

export function forgetLists(): void {
  kept.clear();
}

// A page of a filtered list may be empty although the list continues.
const CALLS_AT_ONCE = 10;
const ENOUGH = 20;

/**
 * A list of the API, page after page.
 * @param address the place to which the browser returns with the same rows, scrolled as before
 */
export function useList<T>(
  page: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  inputs: unknown[],
  address?: string,
): Listed<T> {
  const [back] = useState(() =>
    way.isReturn && address !== undefined ? kept.get(address) : undefined,
  );
  const [rows, setRows] = useState<T[]>((back?.rows ?? []) as T[]);
  const [next, setNext] = useState(back?.next);
  const [state, setState] = useState<{
    fresh: boolean;
    busy: boolean;
    searching?: boolean;
    error?: unknown;
  }>({
    fresh: !back,
    busy: true,
  });
  const pages = useRef(back?.pages ?? 0);
  const examined = useRef(back?.examined);
  const isStopping = useRef(false);
  const isStopped = () => isStopping.current;
  const last = useRef<Omit<Kept, 'y'>>(undefined);
  useEffect(() => {
    last.current = { rows, next, pages: pages.current, examined: examined.current };
  }, [rows, next]);
  const y = useRef(back?.y ?? 0);
  useEffect(() => {
    const pathHere = () => location.hash.split('?')[0];
    const path = pathHere();
    const follow = () => {
      // The page also scrolls when shorter content replaces a long list.
      if (pathHere() === path) y.current = scrollY;
    };
    requestAnimationFrame(() => {
      if (back) scrollTo(0, back.y);
      addEventListener('scroll', follow, { passive: true });
    });
    return () => removeEventListener('scroll', follow);
  }, []);
  useEffect(
    () => () => {
      if (address !== undefined && last.current && last.current.pages <= KEPT_PAGES) {
        kept.set(address, { ...last.current, y: y.current });
      }
    },
    [address],
  );
  const [round, setRound] = useState(0);
  const ending = useRef<AbortController>(null);

  const fetchFrom = async (cursor: string | undefined, signal: AbortSignal): Promise<void> => {
    // After Back, the list has as many rows as before.
    const wanted = cursor === undefined ? pages.current : 0;
    let found: T[] = cursor === undefined ? [] : rows;
    const before = found.length;
    let from = cursor;
    if (cursor === undefined) {
      pages.current = 0;
      examined.current = undefined;
    }
    isStopping.current = false;
    setState(({ fresh }) => ({ fresh, busy: true }));
    try {
      for (let call = 1; ; call += 1) {
        const response = await page(from, signal);
        if (signal.aborted) return;
        pages.current += 1;
        found = [...found, ...response.rows];
        from = response.next;
        const goesOn = response.examined !== undefined;
        if (goesOn) examined.current = (examined.current ?? 0) + response.examined!;
        if (from === undefined || isStopped()) break;
        if (call < wanted) continue;
        if (found.length - before >= ENOUGH || (!goesOn && call >= CALLS_AT_ONCE)) break;
        if (goesOn) {
          setRows(found);
          setState({ fresh: false, busy: true, searching: true });
        }
      }
      setRows(found);
      setNext(from);
      setState({ fresh: false, busy: false });
    } catch (error) {
      if (signal.aborted) return;
      if (cursor === undefined) {
        setRows([]);
        setNext(undefined);
      }
      setState({ fresh: false, busy: false, error });
    }
  };

  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) pages.current = 0;
    isFirst.current = false;
  }, inputs);
  useEffect(() => {
    ending.current = new AbortController();
    void fetchFrom(undefined, ending.current.signal);
    return () => ending.current?.abort();
  }, [...inputs, round]);

  // A list that has rows keeps them, and its place.
  useEffect(() => {
    if (state.error) setRound((count) => count + 1);
  }, [returns.value]);

  return {
    rows,
    ...state,
    error: state.error,
    examined: examined.current,
    stop: state.searching
      ? () => {
          isStopping.current = true;
        }
      : undefined,
    more:
      next === undefined || state.busy
        ? undefined
        : () => {
            void fetchFrom(next, ending.current!.signal);
          },
    reload: () => {
      setRound((count) => count + 1);
    },
  };
}

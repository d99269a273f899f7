import { useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<T> {
  data: T | undefined;
  error: unknown;
  busy: boolean;
  reload: () => void;
}

/** Loads when `inputs` change. The previous data stays until the next is there, so that nothing jumps. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[]): Loaded<T> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ data?: T | undefined; error?: unknown; busy: boolean }>({ busy: true });
  useEffect(() => {
    const ending = new AbortController();
    setState(({ data }) => ({ data, busy: true }));
    load(ending.signal).then(
      (data) => {
        if (!ending.signal.aborted) setState({ data, busy: false });
      },
      (error: unknown) => {
        if (!ending.signal.aborted) setState(({ data }) => ({ data, error, busy: false }));
      },
    );
    return () => {
      ending.abort();
    };
  }, [...inputs, round]);
  const reload = () => {
    setRound((count) => count + 1);
  };
  return { data: state.data, error: state.error, busy: state.busy, reload };
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
}

export interface Page<T> {
  rows: T[];
  next: string | undefined;
}

// A page of a filtered list may be empty although the list continues.
const CALLS_AT_ONCE = 10;
const ENOUGH = 20;

/** A list of the API, page after page. */
export function useList<T>(
  page: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  inputs: unknown[],
): Listed<T> {
  const [rows, setRows] = useState<T[]>([]);
  const [next, setNext] = useState<string>();
  const [state, setState] = useState<{ fresh: boolean; busy: boolean; error?: unknown }>({ fresh: true, busy: true });
  const [round, setRound] = useState(0);
  const ending = useRef<AbortController>(null);

  const fetchFrom = async (cursor: string | undefined, signal: AbortSignal): Promise<void> => {
    let found: T[] = cursor === undefined ? [] : rows;
    const before = found.length;
    let from = cursor;
    setState(({ fresh }) => ({ fresh, busy: true }));
    try {
      for (let call = 0; call < CALLS_AT_ONCE; call += 1) {
        const answer = await page(from, signal);
        if (signal.aborted) return;
        found = [...found, ...answer.rows];
        from = answer.next;
        if (from === undefined || found.length - before >= ENOUGH) break;
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

  useEffect(() => {
    ending.current = new AbortController();
    void fetchFrom(undefined, ending.current.signal);
    return () => ending.current?.abort();
  }, [...inputs, round]);

  return {
    rows,
    ...state,
    error: state.error,
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

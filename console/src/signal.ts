import { useLayoutEffect, useState } from 'preact/hooks';

/** A value of the whole page. */
export interface Signal<T> {
  value: T;
}

const redraws = new Set<() => void>();
let changes = 0;

/** Makes a value of the whole page. A change of it draws every tree that {@link useSignals} follows. */
export function signal<T>(initial: T): Signal<T> {
  let present = initial;
  return {
    get value() {
      return present;
    },
    set value(next) {
      if (next === present) return;
      present = next;
      changes += 1;
      for (const redraw of redraws) redraw();
    },
  };
}

/** Draws the tree of the component again when a signal has changed. */
export function useSignals(): void {
  const drawn = changes;
  const [, setDrawn] = useState(drawn);
  useLayoutEffect(() => {
    const redraw = () => {
      setDrawn(changes);
    };
    // Draws the changes of the first drawing.
    redraw();
    redraws.add(redraw);
    return () => {
      redraws.delete(redraw);
    };
  }, []);
}

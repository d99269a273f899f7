import { useState } from 'preact/hooks';

/** Runs an action once at a time, and keeps its error. */
export function useAction(action: () => Promise<void>): {
  busy: boolean;
  error: unknown;
  run: () => void;
  forget: () => void;
} {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const run = () => {
    if (state.busy) return;
    setState({ busy: true });
    action().then(
      () => {
        setState({ busy: false });
      },
      (error: unknown) => {
        setState({ busy: false, error });
      },
    );
  };
  return {
    busy: state.busy,
    error: state.error,
    run,
    /** Drops the error of a state that is no longer. */
    forget: () => {
      setState(({ busy }) => ({ busy }));
    },
  };
}

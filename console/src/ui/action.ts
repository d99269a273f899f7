import { useState } from 'preact/hooks';

/** Runs something once at a time, and keeps what went wrong. */
export function useAction(action: () => Promise<void>): {
  busy: boolean;
  error: unknown;
  run: () => void;
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
  return { busy: state.busy, error: state.error, run };
}

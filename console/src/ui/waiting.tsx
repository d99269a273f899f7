import { useEffect, useState } from 'preact/hooks';

const QUIET_MS = 3000;

/** Says why nothing happens, once nothing has for some seconds. @param at the time of the last step */
export function Waiting({ at }: { at: number }) {
  const [isQuiet, setQuiet] = useState(false);
  useEffect(() => {
    setQuiet(false);
    const timer = setTimeout(() => {
      setQuiet(true);
    }, QUIET_MS);
    return () => clearTimeout(timer);
  }, [at]);
  if (!isQuiet) return null;
  return <p>Nothing came for seconds. It goes on by itself: a limit may hold it up.</p>;
}

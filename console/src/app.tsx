import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fetchJson } from './api.ts';
import { forgetPage, showPage } from './kept-page.ts';
import type { Session, SignInState } from './own-types.ts';
import { isAway, personOf, session, ways } from './session.ts';
import { Shape } from './shape.tsx';
import { useSignals } from './signal.ts';
import { isLedElsewhere, SignIn } from './sign-in.tsx';
import { Trouble } from './ui/trouble.tsx';

export function App() {
  useSignals();
  const [error, setError] = useState<unknown>();
  const check = () => {
    setError(undefined);
    whoIsHere().then((found) => {
      session.value = found;
    }, setError);
  };
  useEffect(check, []);
  const own = session.value;
  useEffect(() => {
    if (own === null) forgetPage();
  }, [own]);
  if (own && !isAway.value && !isLedElsewhere(own)) {
    const person = personOf(own);
    return <Host key={person} person={person} />;
  }
  if (own !== undefined) return <SignIn />;
  return <main class="waiting">{error ? <Trouble error={error} retry={check} /> : <Shape />}</main>;
}

/** Asks for the session only if there is one: a browser writes a refusal into its log. */
async function whoIsHere(): Promise<Session | null> {
  const state = await fetchJson<SignInState>('sign-in');
  ways.value = state.ways;
  if (!state.signed_in || state.session) return state.session;
  return (await fetchJson<{ session: Session }>('session')).session;
}

function Host({ person }: { person: string }) {
  const holder = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => showPage(person, holder.current!), []);
  return <div ref={holder} />;
}

import { useEffect, useState } from 'preact/hooks';
import { fetchJson, within } from './api.ts';
import type { Session, SignInState } from './own-types.ts';
import { addressOf, goTo, place } from './router.ts';
import { endedBecause, enter, followSignIns, isAway, personOf, session, ways } from './session.ts';
import { setTitle } from './title.ts';
import { useAction } from './ui/action.ts';
import { Button } from './ui/button.tsx';
import { Curl } from './ui/copy.tsx';
import { TextField } from './ui/fields.tsx';
import { Mark } from './ui/icons.tsx';
import { Trouble } from './ui/trouble.tsx';

/** Reasons of the identity provider for a refusal. */
const REFUSALS: Record<string, string> = {
  sign_in_failed: 'The identity provider did not say who you are. Begin again.',
  sign_in_not_granted:
    'You are known, but nothing is granted to you here. Ask the operator of the service.',
  rate_limited: 'Too many attempts from here. Wait a few seconds.',
  identity_provider_unavailable:
    'The identity provider cannot be reached. Try again, or sign in with an API token.',
};

export function SignIn() {
  const [token, setToken] = useState('');
  const { busy, error, run } = useAction(async () => {
    const response = await fetchJson<{ session: Session }>('session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ api_token: token.trim() }),
    });
    enter(response.session, true);
    leaveSignIn();
  });
  useEffect(() => {
    setTitle();
  }, []);
  const other = useOtherTab();
  const reason = endedBecause.value;
  return (
    <main class="sign-in">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <div class="sign-in-head">
          <Mark />
          <h1>User group service</h1>
        </div>
        <Refused />
        {isLedHere() && (
          <p class="note" role="status">
            A link has led you here. Sign in to go where it leads.{' '}
            {session.value && <a href={addressOf([])}>Stay in {session.value.workspace.name}</a>}
          </p>
        )}
        {reason && !error && (
          <p class="note" role="status">
            {reason} Sign in again to go on where you were.
          </p>
        )}
        {other && (
          <p class="note" role="status">
            This browser is signed in as {other.api_token.name} in {other.workspace.name}.{' '}
            <Button
              onClick={() => {
                enter(other);
              }}
            >
              Go on as {other.api_token.name}
            </Button>
          </p>
        )}
        {ways.value.includes('openid') && (
          <>
            <a class="button main" href={wayOut()}>
              Sign in with your organisation
            </a>
            <p class="or">or</p>
          </>
        )}
        <TextField
          label="API token"
          hint="You get this token's permissions. The token is not stored; a session cookie replaces it."
          type="password"
          required
          autofocus={!ways.value.includes('openid')}
          autocomplete="off"
          spellcheck={false}
          value={token}
          onChange={setToken}
        />
        <Trouble error={error} />
        <Button
          type="submit"
          kind={ways.value.includes('openid') ? undefined : 'main'}
          busy={busy}
          disabled={token.trim() === ''}
        >
          Sign in
        </Button>
        <details>
          <summary>Where is my token?</summary>
          <p>
            The first start wrote one to <code>bootstrap-token</code> in the service's data folder (
            <code>DATA_DIR</code>, by default <code>./data</code>). Or create one on the server:
          </p>
          <Curl text={ISSUE} />
          <p>
            In its container:{' '}
            <code>user-group-service token create --name console --scopes all</code>.
          </p>
        </details>
      </form>
    </main>
  );
}

/** Goes on with the session that another tab has begun, if it is of the same person; returns it otherwise. */
function useOtherTab(): Session | undefined {
  const [other, setOther] = useState<Session>();
  useEffect(() => {
    const look = () => {
      fetchJson<SignInState>('sign-in').then(
        ({ session: found }) => {
          const own = session.value;
          if (!found || (own && !isAway.value)) return;
          if (!own || personOf(own) === personOf(found)) enter(found);
          else setOther(found);
        },
        () => undefined,
      );
    };
    if (isAway.value) look();
    return followSignIns(look);
  }, []);
  return other;
}

/** Shows why the sign-in was refused, and nothing else of the link, which anybody can write. */
function Refused() {
  const { path, query } = place.value;
  const why = path[0] === 'sign-in' ? query.get('error') : null;
  if (why === null) return null;
  const isKnown = Object.hasOwn(REFUSALS, why);
  const requestId = query.get('request_id') ?? '';
  return (
    <div class="trouble" role="alert">
      <div>
        <p>{isKnown ? REFUSALS[why] : 'You could not be signed in.'}</p>
        <p class="trouble-ids">
          {isKnown && <code>{why}</code>}{' '}
          {/^[\w.:-]{1,64}$/.test(requestId) && <code>{requestId}</code>}
        </p>
      </div>
    </div>
  );
}

const ISSUE = `npm run --silent cli -- \\
  token create --name console --scopes all`;
const MAX_OF_A_PLACE = 1000;

/** Parameters that a link of another site may set: nobody is signed in by it before they have pressed the button. */
const OF_A_LINK = ['workspace', 'place'];

function isLedHere(): boolean {
  const { path, query } = place.value;
  return path[0] === 'sign-in' && OF_A_LINK.some((name) => query.has(name));
}

/** Tells whether a link leads to another workspace than that of the session. */
export function isLedElsewhere(own: Session): boolean {
  const { path, query } = place.value;
  const workspace = path[0] === 'sign-in' ? query.get('workspace') : null;
  return workspace !== null && workspace !== own.workspace.name;
}

/** The address of the identity provider, with the place to return to. */
function wayOut(): string {
  const { path, query } = place.value;
  const wanted = new URLSearchParams();
  if (path[0] !== 'sign-in') wanted.set('place', location.hash.slice(1));
  else for (const name of OF_A_LINK) if (query.has(name)) wanted.set(name, query.get(name)!);
  if ((wanted.get('place') ?? '').length > MAX_OF_A_PLACE) wanted.delete('place');
  const asked = wanted.toString();
  return within(`sign-in/openid${asked && `?${asked}`}`);
}

/** Leaves the place of a refusal or of a link; call it once a person is signed in. */
export function leaveSignIn(): void {
  const { path, query } = place.value;
  if (path[0] === 'sign-in') goTo(`#${query.get('place') ?? '/'}`);
}

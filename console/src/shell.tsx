import { useEffect, useState } from 'preact/hooks';
import { fetchJson, fetchOk, isOffline, Refusal } from './api.ts';
import { useKeys } from './frame/keys.ts';
import { Navigation } from './frame/navigation.tsx';
import { seek, watch } from './frame/watch.ts';
import type { Session } from './own-types.ts';
import { allowed, isServed, type PageEntry, PAGES } from './menu.ts';
import { addressOf, goTo, place } from './router.ts';
import type * as All from './screens.ts';
import { isAway, leave, returns, session } from './session.ts';
import { useSignals } from './signal.ts';
import { leaveSignIn } from './sign-in.tsx';
import { setTitle } from './title.ts';
import { useAction } from './ui/action.ts';
import { Skeleton } from './ui/empty.tsx';
import { Icon } from './ui/icons.tsx';
import { Notices, notify } from './ui/notices.tsx';
import { Trouble } from './ui/trouble.tsx';

type Screens = typeof All;

/** Loads the script of the pages and dialogs. */
export const loadScreens = (): Promise<Screens> => import('./screens.ts');

export function Shell() {
  useSignals();
  const own = session.value;
  return own ? <Frame own={own} /> : null;
}

function Frame({ own }: { own: Session }) {
  const [dialog, setDialog] = useState<keyof Screens['dialogs']>();
  useEffect(leaveSignIn, []);
  useEffect(() => (isAway.value ? undefined : watch()), [own.id, isAway.value]);
  useEffect(() => (isOffline.value ? seek() : undefined), [isOffline.value]);
  const onFind = () => {
    setDialog('find');
  };
  const onHelp = () => {
    setDialog('help');
  };
  useKeys({ onFind, onHelp });
  const leaving = useAction(async () => {
    await fetchOk('session', { method: 'DELETE' });
    leave();
  });
  useEffect(() => {
    if (leaving.error) scrollTo(0, 0);
  }, [leaving.error]);
  const pages = allowed();
  const [first = ''] = place.value.path;
  const page = pages.find(({ path }) => path === first);
  const where = place.value.path.join('/');
  useEffect(() => {
    scrollTo(0, 0);
  }, [where]);
  // Without access to the overview, starts at the first accessible page.
  useEffect(() => {
    if (!page && first === '' && pages[0]) goTo(addressOf([pages[0].path]));
  }, [page, first]);
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={skip}>
        Skip to the content
      </a>
      <Navigation {...{ own, first, onFind, onHelp }} onLeave={leaving.run} />
      <main id="content" tabIndex={-1}>
        {isOffline.value && (
          <p class="note warn offline" role="status">
            <Icon name="warning" /> No connection. Trying again…
          </p>
        )}
        <Trouble error={leaving.error} />
        {page ? <Lazy key={page.path} path={page.path} /> : <Missing path={first} />}
      </main>
      <Notices />
      {dialog && (
        <LazyDialog
          key={dialog}
          name={dialog}
          onClose={() => {
            setDialog(undefined);
          }}
        />
      )}
    </div>
  );
}

function skip(event: Event) {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

/** Returns the screens, whose script comes after the one of the frame. */
function useScreens(onFail: () => void): Screens | undefined {
  const [screens, setScreens] = useState<Screens>();
  useEffect(() => void loadScreens().then(setScreens, onFail), []);
  return screens;
}

function LazyDialog({ name, onClose }: { name: keyof Screens['dialogs']; onClose: () => void }) {
  const Loaded = useScreens(() => {
    onClose();
    notify('This part of the console could not be loaded: reload the page', 'warning');
  })?.dialogs[name];
  return Loaded ? <Loaded onClose={onClose} /> : null;
}

function Lazy({ path }: { path: string }) {
  const [error, setError] = useState<unknown>();
  const [since] = useState(returns.value);
  const Page = useScreens(() => {
    setError(
      new Refusal({
        title: 'This part of the console could not be loaded.',
        detail: 'A newer version may have taken its place: reload the page.',
      }),
    );
    // Tells whether it is the network; a browser loads a failed script again only with its page.
    fetchJson('sign-in').catch(() => undefined);
  })?.pages[path as keyof Screens['pages']];
  const reload = () => {
    location.reload();
  };
  if (error && returns.value > since) reload();
  if (error) return <Trouble error={error} retry={reload} />;
  return Page ? <Page path={place.value.path.slice(1)} /> : <Skeleton lines={6} />;
}

function Missing({ path }: { path: string }) {
  const known: PageEntry | undefined = PAGES.find((page) => page.path === path && isServed(page));
  const title = known?.scope
    ? `You need the ${known.scope} scope to see ${known.name}`
    : 'There is no such page';
  useEffect(() => {
    setTitle(title);
  }, [title]);
  return (
    <div class="empty">
      <h1 class="empty-title">{title}</h1>
      <p class="empty-words">
        {known
          ? 'The API token of this session does not have it.'
          : 'The pages that this session may see are in the navigation.'}
      </p>
    </div>
  );
}

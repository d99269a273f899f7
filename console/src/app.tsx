import { type ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { readMessages } from '../../clients/typescript/event-stream.ts';
import { fetchOk, fetchJson, Refusal } from './api.ts';
import type { Scope, Session, SignInState } from './own-types.ts';
import { addressOf, goTo, place } from './router.ts';
import { ended, endedBecause, may, session, ways } from './session.ts';
import { isLedElsewhere, leaveSignIn, SignIn } from './sign-in.tsx';
import { nextTheme, theme } from './theme.ts';
import { useAction } from './ui/action.ts';
import { Dialog } from './ui/dialog.tsx';
import { Skeleton } from './ui/empty.tsx';
import { Icon, type IconName, Mark } from './ui/icons.tsx';
import { Notices } from './ui/notices.tsx';
import { span } from './ui/text.tsx';
import { Trouble } from './ui/trouble.tsx';

interface PageEntry {
  path: string;
  name: string;
  icon: IconName;
  key: string;
  scope?: Scope;
  load: () => Promise<{ default: ComponentType<{ path: string[] }> }>;
}

const PAGES: PageEntry[] = [
  {
    ...{ path: '', name: 'Overview', icon: 'overview', key: 'o', scope: 'user-groups:read' },
    load: () => import('./pages/overview.tsx'),
  },
  {
    ...{ path: 'groups', name: 'User groups', icon: 'groups', key: 'u', scope: 'user-groups:read' },
    load: () => import('./pages/groups/groups.tsx'),
  },
  {
    ...{ path: 'registry', name: 'Registry', icon: 'registry', key: 'r', scope: 'registry:read' },
    load: () => import('./pages/registry/registry.tsx'),
  },
  {
    ...{ path: 'api-tokens', name: 'API tokens', icon: 'key', key: 't', scope: 'admin' },
    load: () => import('./pages/api-tokens/api-tokens.tsx'),
  },
  {
    ...{ path: 'audit', name: 'Audit log', icon: 'audit', key: 'a', scope: 'audit:read' },
    load: () => import('./pages/audit.tsx'),
  },
  {
    ...{ path: 'webhooks', name: 'Webhooks', icon: 'webhook', key: 'w', scope: 'webhooks:read' },
    load: () => import('./pages/webhooks/webhooks.tsx'),
  },
  {
    ...{ path: 'events', name: 'Events', icon: 'events', key: 'e', scope: 'events:read' },
    load: () => import('./pages/events.tsx'),
  },
  { ...{ path: 'sessions', name: 'Sessions', icon: 'sessions', key: 's' }, load: () => import('./pages/sessions.tsx') },
  {
    ...{ path: 'system', name: 'System', icon: 'system', key: 'y', scope: 'admin' },
    load: () => import('./pages/system.tsx'),
  },
];

const allowed = () => PAGES.filter(({ scope }) => scope === undefined || may(scope));

export function App() {
  const [error, setError] = useState<unknown>();
  const check = () => {
    setError(undefined);
    whoIsHere().then(
      (found) => {
        session.value = found;
      },
      (reason: unknown) => {
        if (reason instanceof Refusal && reason.problem.status === 401) session.value = null;
        else setError(reason);
      },
    );
  };
  useEffect(check, []);
  const own = session.value;
  if (own && !isLedElsewhere(own)) return <Shell key={own.id} session={own} />;
  if (own !== undefined) return <SignIn />;
  return <main class="waiting">{error ? <Trouble error={error} retry={check} /> : null}</main>;
}

/** Asks for the session only if there is one: a browser writes a refusal into its log. */
async function whoIsHere(): Promise<Session | null> {
  const state = await fetchJson<SignInState>('sign-in');
  ways.value = state.ways;
  if (!state.signed_in) return null;
  return (await fetchJson<{ session: Session }>('session')).session;
}

function Shell({ session: own }: { session: Session }) {
  const [help, setHelp] = useState(false);
  useEffect(leaveSignIn, []);
  useEffect(watch, []);
  useKeys(() => {
    setHelp(true);
  });
  const leaving = useAction(async () => {
    await fetchOk('session', { method: 'DELETE' });
    endedBecause.value = '';
    session.value = null;
  });
  useEffect(() => {
    if (leaving.error) scrollTo(0, 0);
  }, [leaving.error]);
  const pages = allowed();
  const [first = ''] = place.value.path;
  const page = pages.find(({ path }) => path === first);
  useEffect(() => {
    const current = document.querySelector('.side [aria-current]');
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [page]);
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
      <nav class="side" aria-label="Pages">
        <div class="brand">
          <Mark />
          <span>
            User groups
            <small>{own.workspace.name}</small>
          </span>
        </div>
        <ul>
          {pages.map(({ path, name, icon }) => (
            <li key={path}>
              <a href={addressOf([path])} aria-current={path === first ? 'page' : undefined}>
                <Icon name={icon} /> <span>{name}</span>
              </a>
            </li>
          ))}
        </ul>
        <Account own={own} onHelp={setHelp} onLeave={leaving.run} />
      </nav>
      <main id="content" tabIndex={-1}>
        <Trouble error={leaving.error} />
        {page ? <Lazy key={page.path} page={page} /> : <Missing path={first} />}
      </main>
      <Notices />
      {help && (
        <Help
          pages={pages}
          onClose={() => {
            setHelp(false);
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

const THEME_NAMES = { auto: 'as the system', light: 'light', dark: 'dark' };
const THEME_ICONS = { auto: 'auto', light: 'sun', dark: 'moon' } as const;

function Account({ own, onHelp, onLeave }: { own: Session; onHelp: (open: boolean) => void; onLeave: () => void }) {
  return (
    <div class="account">
      <p class="who" title={`The session ends in ${span(own.expires_at)}`}>
        {own.api_token.name}
      </p>
      <div class="account-buttons">
        <button
          type="button"
          class="copy"
          title={`Colours: ${THEME_NAMES[theme.value]}`}
          aria-label={`Colours: ${THEME_NAMES[theme.value]}; change`}
          onClick={nextTheme}
        >
          <Icon name={THEME_ICONS[theme.value]} />
        </button>
        <button
          type="button"
          class="copy"
          title="Keys (?)"
          aria-label="Keys"
          onClick={() => {
            onHelp(true);
          }}
        >
          <Icon name="help" />
        </button>
        <button type="button" class="copy" title="Sign out" aria-label="Sign out" onClick={onLeave}>
          <Icon name="leave" />
        </button>
      </div>
    </div>
  );
}

function Lazy({ page }: { page: PageEntry }) {
  const [Page, setPage] = useState<ComponentType<{ path: string[] }>>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    page.load().then(
      (module) => {
        setPage(() => module.default);
      },
      () => {
        setError(
          new Refusal({
            title: 'This part of the console could not be loaded.',
            detail: 'A newer version may have taken its place: reload the page.',
          }),
        );
      },
    );
  }, []);
  if (error)
    return (
      <Trouble
        error={error}
        retry={() => {
          location.reload();
        }}
      />
    );
  return Page ? <Page path={place.value.path.slice(1)} /> : <Skeleton lines={6} />;
}

function Missing({ path }: { path: string }) {
  const known = PAGES.find((page) => page.path === path);
  return (
    <div class="empty">
      <h1 class="empty-title">
        {known?.scope ? `${known.name} needs the scope ${known.scope}` : 'There is no such page'}
      </h1>
      <p class="empty-words">
        {known
          ? 'The API token of this session does not have it.'
          : 'The pages that this session may see are in the navigation.'}
      </p>
    </div>
  );
}

/** Meanwhile nothing tells the page that its session has ended. */
const RECONNECT_AFTER = 500;

/** Learns at once that the session has ended, even without calls. */
function watch(): () => void {
  const ending = new AbortController();
  const listen = async () => {
    while (!ending.signal.aborted) {
      try {
        const { body } = await fetchOk('session/watch', { signal: ending.signal });
        for await (const { event, data } of readMessages(body!, ending.signal)) {
          if (event === 'ended') ended((JSON.parse(data) as { code: string }).code);
        }
      } catch {
        // Errors other than an ended session are retried.
      }
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_AFTER));
    }
  };
  void listen();
  return () => {
    ending.abort();
  };
}

function useKeys(onHelp: () => void): void {
  const waiting = useRef(0);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]')) return;
      if (target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select')) return;
      const page = Date.now() - waiting.current < 1500 && allowed().find((one) => one.key === key);
      waiting.current = 0;
      const row = document.querySelector<HTMLElement>('main [data-row]');
      if (page) goTo(addressOf([page.path]));
      else if (key === 'g') waiting.current = Date.now();
      else if (key === '?') onHelp();
      else if (key === '/') document.querySelector<HTMLElement>('[data-search]')?.focus();
      else if (key === 'ArrowDown' && row && !document.activeElement?.closest('.table')) row.focus();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => {
      removeEventListener('keydown', press);
    };
  }, []);
}

function Help({ pages, onClose }: { pages: PageEntry[]; onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        <div>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>search on this page</dd>
        </div>
        <div>
          <dt>
            <kbd>↑</kbd> <kbd>↓</kbd>
          </dt>
          <dd>walk the rows of a table</dd>
        </div>
        <div>
          <dt>
            <kbd>Enter</kbd>
          </dt>
          <dd>open the row</dd>
        </div>
        <div>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>close a dialog, clear the search</dd>
        </div>
        {pages.map(({ key, name }) => (
          <div key={key}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

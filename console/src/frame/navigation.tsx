import { useEffect, useRef, useState } from 'preact/hooks';
import { within } from '../api.ts';
import { clock, isUtc } from '../clock.ts';
import type { Session } from '../own-types.ts';
import { allowed } from '../menu.ts';
import { addressOf, place } from '../router.ts';
import { setTheme, theme } from '../theme.ts';
import { Button } from '../ui/button.tsx';
import { Icon, Mark } from '../ui/icons.tsx';
import { Menu } from '../ui/menu.tsx';
import { span } from '../ui/text.tsx';

interface Actions {
  onFind: () => void;
  onHelp: () => void;
  onLeave: () => void;
}

/** A colour by which one knows a workspace among others. */
function colourOf(name: string): string {
  const hue = [...name].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) % 360, 0);
  return `hsl(${hue} 65% 50%)`;
}

/** The pages and the account; on a narrow screen behind a button. */
export function Navigation({
  own,
  first,
  onFind,
  ...actions
}: Actions & { own: Session; first: string }) {
  const [isOpen, setOpen] = useState(false);
  const side = useRef<HTMLElement>(null);
  const menu = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    setOpen(false);
  }, [place.value]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = (event: Event) => {
      if (
        event instanceof KeyboardEvent
          ? event.key !== 'Escape'
          : side.current!.contains(event.target as Node)
      ) {
        return;
      }
      setOpen(false);
      if (event instanceof KeyboardEvent) menu.current?.focus();
    };
    const kinds = ['keydown', 'pointerdown', 'focusin'];
    for (const kind of kinds) addEventListener(kind, close);
    return () => {
      for (const kind of kinds) removeEventListener(kind, close);
    };
  }, [isOpen]);
  return (
    <nav ref={side} class="side" aria-label="Pages">
      <div class="brand">
        <Mark />
        <span>
          User groups
          <small>
            <i class="workspace" style={{ background: colourOf(own.workspace.name) }} />
            {own.workspace.name}
          </small>
        </span>
      </div>
      <button type="button" class="find" onClick={onFind}>
        <Icon name="search" /> <span>Find…</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <button
        ref={menu}
        type="button"
        class="copy menu"
        aria-label="Menu"
        aria-expanded={isOpen}
        aria-controls="pages"
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        <Icon name={isOpen ? 'close' : 'menu'} />
      </button>
      <div id="pages" class={isOpen ? 'pages open' : 'pages'}>
        <ul>
          {allowed().map(({ path, name, icon }) => (
            <li key={path}>
              <a
                href={addressOf([path])}
                aria-current={path === first ? 'page' : undefined}
                onClick={() => {
                  setOpen(false);
                }}
              >
                <Icon name={icon} /> <span>{name}</span>
              </a>
            </li>
          ))}
        </ul>
        <Account own={own} {...actions} />
      </div>
    </nav>
  );
}

const THEMES = [
  ['auto', 'auto', 'As the system'],
  ['light', 'sun', 'Light'],
  ['dark', 'moon', 'Dark'],
] as const;

function Account({ own, onHelp, onLeave }: Omit<Actions, 'onFind'> & { own: Session }) {
  return (
    <div class="account">
      <p class="who" title={`The session ends in ${span(own.expires_at)}`}>
        {own.api_token.name}
      </p>
      <div class="account-buttons">
        <Menu label="Colours" icon={THEMES.find(([one]) => one === theme.value)![1]}>
          {THEMES.map(([one, icon, name]) => (
            <Button
              key={one}
              kind="quiet"
              icon={icon}
              aria-pressed={theme.value === one}
              onClick={() => {
                setTheme(one);
              }}
            >
              {name}
            </Button>
          ))}
        </Menu>
        <button
          type="button"
          class="copy"
          title={`Show times in ${isUtc() ? 'local time' : 'UTC'}`}
          aria-label={`Show times in ${isUtc() ? 'local time' : 'UTC'}`}
          onClick={() => {
            clock.choose(isUtc() ? 'local' : 'UTC');
          }}
        >
          {isUtc() ? 'UTC' : <Icon name="clock" />}
        </button>
        <Menu label="Help" icon="help">
          <a class="button quiet" href={within('../docs')} target="_blank" rel="noreferrer">
            API docs
          </a>
          <Button kind="quiet" onClick={onHelp}>
            Keyboard shortcuts <kbd aria-hidden="true">?</kbd>
          </Button>
          <small>Version {import.meta.env['VITE_VERSION']}</small>
        </Menu>
        <button type="button" class="copy" title="Sign out" aria-label="Sign out" onClick={onLeave}>
          <Icon name="leave" />
        </button>
      </div>
    </div>
  );
}

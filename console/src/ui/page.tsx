import { type ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { way } from '../router.ts';
import { isAway } from '../session.ts';
import { setTitle } from '../title.ts';
import { Icon } from './icons.tsx';

export function Header({
  title,
  about,
  up,
  children,
}: {
  title: ComponentChildren;
  about?: ComponentChildren;
  up?: { address: string; name: string };
  children?: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The previous page took the focus with it.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    // A page that waits for its person has left the tab to the sign-in.
    if (!isAway.value) setTitle(heading.current?.firstChild?.textContent ?? '');
  });
  return (
    <header class="head">
      <div class="head-words">
        {up && (
          <a
            class="up"
            href={up.address}
            onClick={(event) => {
              // The list is then as it was.
              if (up.address !== way.from || event.ctrlKey || event.metaKey || event.shiftKey) {
                return;
              }
              event.preventDefault();
              history.back();
            }}
          >
            <Icon name="left" /> {up.name}
          </a>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {about && <p class="about">{about}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  );
}

export function Panel({
  title,
  about,
  actions,
  children,
  flush,
}: {
  title?: ComponentChildren;
  about?: ComponentChildren;
  actions?: ComponentChildren;
  children?: ComponentChildren;
  /** Its content reaches its edges, as a table does. */
  flush?: boolean;
}) {
  return (
    <section class="panel">
      {title && (
        <div class="panel-head">
          <div>
            <h2>{title}</h2>
            {about && <p class="about">{about}</p>}
          </div>
          {actions && <div class="actions">{actions}</div>}
        </div>
      )}
      {children && <div class={flush ? 'flush' : 'panel-body'}>{children}</div>}
    </section>
  );
}

export interface Tab {
  name: string;
  address: string;
  on: boolean;
}

/** Tabs as links, so that each has an address. */
export function Tabs({ tabs }: { tabs: Tab[] }) {
  return (
    <nav class="tabs" aria-label="Parts of this page">
      {tabs.map(({ name, address, on }) => (
        <a key={name} href={address} aria-current={on ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

export function Fact({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

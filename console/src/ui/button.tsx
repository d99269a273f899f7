import { type JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

type ButtonAttributes = JSX.IntrinsicElements['button'];

interface ButtonProps extends Omit<ButtonAttributes, 'icon'> {
  kind?: 'main' | 'danger' | 'quiet' | undefined;
  icon?: IconName | undefined;
  busy?: boolean | undefined;
}

/** The place that gets the focus when this element has gone with it. */
export function placeOf(element: Element): HTMLElement | null {
  return element.closest('.table, .list-foot, dialog .form') ?? document.querySelector('h1');
}

/** A button. While it is busy it does nothing, and keeps the focus, which a disabled one would lose. If it goes, it hands the focus on. */
export function Button({ kind, icon, busy, children, onClick, ...rest }: ButtonProps) {
  const own = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const button = own.current!;
    return () => {
      if (document.activeElement === button) placeOf(button)?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <button
      ref={own}
      type="button"
      class={`button ${kind ?? ''}`}
      aria-busy={busy}
      aria-disabled={busy}
      {...rest}
      onClick={busy ? refuse : onClick}
    >
      {busy ? <span class="spinner" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

function refuse(event: Event) {
  event.preventDefault();
}

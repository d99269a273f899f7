import { type JSX } from 'preact';
import { Icon, type IconName } from './icons.tsx';

type ButtonAttributes = JSX.IntrinsicElements['button'];

interface ButtonProps extends Omit<ButtonAttributes, 'icon'> {
  kind?: 'main' | 'danger' | 'quiet' | undefined;
  icon?: IconName | undefined;
  busy?: boolean | undefined;
}

export function Button({ kind, icon, busy, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${kind ?? ''}`}
      aria-busy={busy}
      disabled={busy === true || disabled === true}
      {...rest}
    >
      {busy ? <span class="spinner" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

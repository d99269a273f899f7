import { type ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

/** A button that unfolds a list of buttons and links; using one, Escape and a click elsewhere close it. */
export function Menu({
  label,
  icon,
  children,
}: {
  label: string;
  icon: IconName;
  children: ComponentChildren;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  return (
    <>
      <button type="button" class="copy" aria-label={label} title={label} popovertarget={id}>
        <Icon name={icon} />
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        class="menu-list"
        onClick={() => {
          list.current!.hidePopover();
        }}
      >
        {children}
      </div>
    </>
  );
}

import type { ComponentChildren } from 'preact';
import { Icon } from './icons.tsx';

/** The button of a row that shows what the row leaves out. */
export function Unfold({
  isOpen,
  setOpen,
  of,
  children,
  ...attributes
}: {
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  /** Words for those who do not see the row, before what it shows. */
  of: string;
  children: ComponentChildren;
  'data-row'?: boolean;
}) {
  return (
    <button
      type="button"
      class="unfold"
      {...attributes}
      aria-expanded={isOpen}
      onClick={() => {
        setOpen(!isOpen);
      }}
    >
      <Icon name={isOpen ? 'down' : 'right'} />
      <span class="unseen">{of} </span>
      {children}
    </button>
  );
}

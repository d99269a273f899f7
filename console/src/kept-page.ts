import { h, render } from 'preact';
import { forgetLists } from './load.ts';
import { forgetSignals } from './of-page.ts';
import { Shell } from './shell.tsx';

/** The page of a person: while they are signed out, it has its state and drafts, outside of the document. */
let kept: { person: string; element: HTMLElement } | undefined;

/** Shows the page of a person in `holder`, as they left it. Returns a function that removes it from the document. */
export function showPage(person: string, holder: HTMLElement): () => void {
  if (kept?.person !== person) forgetPage();
  const isNew = kept === undefined;
  const { element } = (kept ??= { person, element: document.createElement('div') });
  holder.append(element);
  if (isNew) render(h(Shell, null), element);
  // A dialog loses its place above the page when it leaves the document.
  for (const dialog of element.querySelectorAll<HTMLDialogElement>('dialog[open]')) {
    dialog.removeAttribute('open');
    dialog.showModal();
  }
  return () => {
    element.remove();
  };
}

/** Drops the page with all that it has. */
export function forgetPage(): void {
  if (kept) render(null, kept.element);
  kept = undefined;
  forgetLists();
  forgetSignals();
}

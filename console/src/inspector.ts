import { ofPage } from './of-page.ts';
import { addressOf, cutToken, goTo, mayBeToken } from './router.ts';
import { may } from './session.ts';

/** The text that was handed to the inspector and that its page has yet to take. It is kept nowhere else. */
export const handedOver = ofPage('');

/** Opens the inspector with a text, which stays out of the address. */
export function inspect(text: string): void {
  handedOver.value = cutToken(text);
  goTo(addressOf(['inspect']));
}

/** Opens the page that ends leaked tokens with a text, which stays out of the address. */
export function reportLeaked(text: string): void {
  handedOver.value = text;
  goTo(addressOf(['leaked']));
}

/** Takes the text that was handed over; a second call gets none. */
export function takeOver(): string {
  const text = handedOver.value;
  handedOver.value = '';
  return text;
}

export const INSPECTING = 'tokens:inspect';

/** The way to the inspector from a place that does not search for tokens; undefined without its scope. */
export function wayToInspector(
  text: string,
): { name: string; run: () => Promise<void> } | undefined {
  if (!may(INSPECTING) || !mayBeToken(text)) return undefined;
  return {
    name: 'Inspect it',
    run: () => {
      inspect(text);
      return Promise.resolve();
    },
  };
}

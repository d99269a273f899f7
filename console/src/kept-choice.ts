import { signal } from './signal.ts';

/** A choice of the reader that the browser keeps; without storage, until the page is left. */
export function keptChoice<T extends string>(keptAs: string, choices: readonly T[]) {
  const own = signal(choices[0]!);
  try {
    own.value = choices.find((one) => one === localStorage.getItem(keptAs)) ?? own.value;
  } catch {
    // Begins with the first.
  }
  return {
    get value() {
      return own.value;
    },
    choose: (one: T) => {
      own.value = one;
      try {
        localStorage.setItem(keptAs, own.value);
      } catch {
        // Lasts until the page is left.
      }
    },
  };
}

import { createContext } from 'preact';
import { Refusal } from '../api.ts';

type FieldError = NonNullable<Refusal['problem']['errors']>[number];

/** The violations of a refused form. Each is shown once: by the field of its place, or else below the form. */
export class Violations {
  private readonly shownAt = new Map<FieldError, string>();
  private readonly errors: FieldError[];

  constructor(private readonly error?: unknown) {
    this.errors = error instanceof Refusal ? (error.problem.errors ?? []) : [];
  }

  /**
   * Returns the words for a place of the body, and takes them from all other fields.
   * @param isWhole whether everything inside the place is shown there, too
   */
  at(pointer: string | undefined, isWhole = true): string | undefined {
    if (pointer === undefined) return undefined;
    const own = this.errors.filter(
      (one) =>
        (one.pointer === pointer || (isWhole && one.pointer?.startsWith(`${pointer}/`))) &&
        (this.shownAt.get(one) ?? pointer) === pointer,
    );
    for (const one of own) this.shownAt.set(one, pointer);
    return own.map(({ detail }) => detail).join(' ') || undefined;
  }

  /** Returns the error without what the fields show. */
  rest(): unknown {
    if (!(this.error instanceof Refusal) || this.shownAt.size === 0) return this.error;
    const errors = this.errors.filter((one) => !this.shownAt.has(one));
    const { code, request_id } = this.error.problem;
    const ids = { ...(code && { code }), ...(request_id && { request_id }) };
    return new Refusal({ title: 'Not saved.', detail: 'The marked fields say why.', errors, ...ids });
  }
}

/** The violations of the form around a field. */
export const OfForm = createContext(new Violations());

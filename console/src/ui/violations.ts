import { createContext } from 'preact';
import { Refusal } from '../api.ts';

type FieldError = NonNullable<Refusal['problem']['errors']>[number];

const placeOf = ({ pointer = '', parameter }: FieldError) => parameter ?? pointer;

/** The violations of a refused form. Each is shown once: by the field of its place, or else below the form. */
export class Violations {
  private readonly shownAt = new Map<FieldError, string>();
  private readonly errors: FieldError[];

  constructor(private readonly error?: unknown) {
    this.errors = error instanceof Refusal ? (error.problem.errors ?? []) : [];
  }

  /**
   * Returns the words for a place of the body, and takes them from all other fields.
   * @param place a JSON Pointer, or the name of a parameter
   * @param isWhole whether everything inside the place is shown there, too
   * @param parts the texts of a list at the place, by which the words name them; true for the places themselves
   */
  at(
    place: string | undefined,
    isWhole = true,
    parts: string[] | boolean = [],
  ): string | undefined {
    if (place === undefined) return undefined;
    const own = this.errors.filter(
      (one) =>
        (placeOf(one) === place || (isWhole && placeOf(one).startsWith(`${place}/`))) &&
        (this.shownAt.get(one) ?? place) === place,
    );
    for (const one of own) this.shownAt.set(one, place);
    const words = own.map((one) => {
      const rest = placeOf(one).slice(place.length + 1);
      const part = Array.isArray(parts) ? parts[parseInt(rest)] : rest || undefined;
      return part === undefined ? one.detail : `“${part}”: ${one.detail}`;
    });
    return words.join(' ') || undefined;
  }

  /** Returns the code of the first violation of exactly this place. */
  codeOf(place: string): string | undefined {
    return this.errors.find((one) => placeOf(one) === place)?.code;
  }

  /** Returns the error without what the fields show. */
  rest(): unknown {
    if (!(this.error instanceof Refusal) || this.shownAt.size === 0) return this.error;
    const errors = this.errors.filter((one) => !this.shownAt.has(one));
    const { code, request_id } = this.error.problem;
    const ids = { ...(code && { code }), ...(request_id && { request_id }) };
    return new Refusal({
      title: 'Not saved.',
      detail: 'The marked fields say why.',
      errors,
      ...ids,
    });
  }
}

/** The violations of the form around a field. */
export const OfForm = createContext(new Violations());

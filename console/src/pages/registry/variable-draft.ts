import type { Schemas } from '../../own-types.ts';

type Variable = Schemas['DeclaredVariable'];

export const TYPES = ['string', 'integer', 'number', 'boolean', 'date', 'timestamp'].flatMap(
  (type) => [type, `${type}[]`],
) as Variable['type'][];

/** The value of a variable for groups that lack it, by the name of the choice. */
export const WITHOUT: [Draft['without'], string][] = [
  ['null', 'it is null'],
  ['default', 'it has a default'],
  ['required', 'the group becomes inactive'],
];

/** A variable as the controls of a form have it. */
export interface Draft extends Pick<Variable, 'name' | 'type'> {
  /** Differs for each draft, whatever is changed in it. */
  key: symbol;
  without: 'required' | 'default' | 'null';
  fallback: string;
  /** The allowed values, one a line. */
  allowed: string;
  description: string;
  isSecret: boolean;
  isOfToken: boolean;
}

export const newDraft = () => toDraft({ name: '', type: 'string', required: false });

export function toDraft({
  name,
  type,
  required,
  default: fallback,
  enum: allowed,
  ...rest
}: Variable): Draft {
  return {
    key: Symbol(),
    name,
    type,
    without: required ? 'required' : fallback === undefined ? 'null' : 'default',
    fallback: fallback === undefined ? '' : textOf(fallback),
    allowed: (allowed ?? []).map(textOf).join('\n'),
    description: rest.description ?? '',
    isSecret: rest.is_secret === true,
    isOfToken: rest.source === 'token',
  };
}

export function fromDraft({ name, type, without, ...draft }: Draft): Variable {
  const allowed = draft.isSecret ? [] : linesOf(draft.allowed);
  return {
    name,
    type,
    required: without === 'required',
    ...(without === 'default' && { default: valueOf(draft.fallback, type) }),
    ...(allowed.length > 0 && { enum: allowed.map((line) => valueOf(line, singleOf(type))) }),
    ...(draft.description && { description: draft.description }),
    is_secret: draft.isSecret,
    ...(draft.isOfToken && { source: 'token' }),
  };
}

/** The lines of a text that have something. */
export function linesOf(text: string): string[] {
  return text.split('\n').filter(Boolean);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Reads a text that is JSON unless the type is one of texts; the service refuses what is neither. */
export function valueOf(text: string, type: string): Variable['default'] {
  if (['string', 'date', 'timestamp'].includes(type)) return text;
  try {
    return JSON.parse(text) as Variable['default'];
  } catch {
    return text;
  }
}

function singleOf(type: string): string {
  return type.replace('[]', '');
}

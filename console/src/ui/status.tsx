import type { ComponentProps } from 'preact';
import type { Schemas } from '../own-types.ts';
import { Badge } from './text.tsx';

type Group = Pick<Schemas['UserGroup'], 'status' | 'reasons'>;

const NAMES: Record<string, string> = {
  active: 'Active',
  suspended: 'Suspended',
  expired: 'Expired',
  incomplete: 'Incomplete',
  no_valid_token: 'No valid token',
  unresolved: 'Unresolved mapping',
};

/** The statuses with their names, for a choice. */
export const STATUSES = Object.entries(NAMES);

const TONES: Record<string, ComponentProps<typeof Badge>['tone']> = {
  active: 'good',
  incomplete: 'bad',
  no_valid_token: 'bad',
};

/** The one status of a group. Any other than these has a tone, too, also one of a later version of the service. */
export function StatusBadge({ group: { status, reasons } }: { group: Group }) {
  return (
    <Badge tone={TONES[status] ?? 'warn'} title={reasons.map(wordsOf).join(' ')}>
      {NAMES[status] ?? status}
    </Badge>
  );
}

const LACKS: Record<string, string> = {
  required: 'missing',
  type: 'of another type',
  not_acceptable: 'not allowed',
  unknown_schema: 'not registered',
  unknown_data_source: 'without a registered data source',
};

/** The flaw of the group at this place or in the list there, or undefined. */
export function lackOf({ reasons }: Group, pointer: string): string | undefined {
  const reason = reasons.find((one) => `${one.pointer}/`.startsWith(`${pointer}/`));
  return reason && (LACKS[reason.code] ?? 'missing');
}

/** Names what a group lacks, and of which type it has to be; in the words of the API what is no flaw of its content. */
export function wordsOf({
  code,
  pointer = '',
  detail,
}: {
  code: string;
  pointer?: string;
  detail: string;
}): string {
  const [part, ...path] = namesOf(pointer);
  const lack = LACKS[code];
  if (!lack || path.length === 0) return detail;
  const type = part === 'mapping' ? 'schema' : /of the type (\S+)\.$/.exec(detail)?.[1];
  const kind = type?.replace('string', 'text').replace('boolean', 'yes or no');
  return `${lack[0]!.toUpperCase()}${lack.slice(1)}: ${path.join('.')}${kind ? ` (${kind.replace('[]', ', a list')})` : ''}.`;
}

/** JSON Pointer (RFC 6901) of a member. */
export function pointerOf(...path: string[]): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The names in a JSON Pointer. */
export function namesOf(pointer: string): string[] {
  const names = pointer.split('/').slice(1);
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A place of a group for people: `mapping › sales`. */
export const placeOf = (pointer: string): string =>
  namesOf(pointer)
    .join(' › ')
    .replace(/^valid_until$/, 'ends');

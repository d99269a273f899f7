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
    <Badge tone={TONES[status] ?? 'warn'} title={reasons.map(({ detail }) => detail).join(' ')}>
      {NAMES[status] ?? status}
    </Badge>
  );
}

const LACKS: Record<string, string> = { type: 'of another type', not_acceptable: 'not allowed' };

/** The flaw of the group at this place or in the list there, or undefined. */
export function lackOf({ reasons }: Group, pointer: string): string | undefined {
  const reason = reasons.find((one) => `${one.pointer}/`.startsWith(`${pointer}/`));
  return reason && (LACKS[reason.code] ?? 'missing');
}

/** JSON Pointer (RFC 6901) of a member. */
export function pointerOf(...path: string[]): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

import type { Schemas } from '../../own-types.ts';

type Inspection = Schemas['Inspection'];

const KINDS: Record<string, string> = {
  user_group_token: 'User-group token',
  embed_token: 'Embed token',
  api_token: 'API token',
};

/** The name of the kind of token. */
export const kindOf = ({ kind }: Inspection): string => KINDS[kind] ?? 'Token';

const REFUSED: Record<string, string> = {
  superseded: 'a newer token has replaced it',
  overlap_expired: 'a newer token has replaced it, and its overlap is over',
  revoked: 'a request has revoked it',
  group_suspended: 'its group is suspended',
  group_expired: 'its group has expired',
  group_incomplete: 'its group lacks a required property or schema',
  tokens_ended: 'it was ended together with others of the workspace',
  signature_invalid: 'no key of this service has signed it as it is',
  issuer_differs: 'the issuer of the workspace has changed',
  token_expired: 'it has expired',
  view_as_forbidden: 'the workspace forbids to view as a group',
  group_deleted: 'its group has been deleted',
  api_token_expired: 'it has expired',
};

/** Tells why a token is refused, for the middle of a sentence; a reason of a later version has words, too. */
export function whyRefused(reason: string | null): string {
  return REFUSED[reason ?? ''] ?? (reason ?? '').replaceAll('_', ' ');
}

const CHECKS: Record<string, string> = {
  form: 'Complete',
  known: 'Issued here',
  generation: 'Current or old',
  tokens_ended: 'Ended in bulk',
  embed_tokens_ended: 'Ended in bulk',
  group_status: 'Status of the group',
  api_token: 'API token',
};

export const nameOfCheck = (name: string): string =>
  CHECKS[name] ?? name[0]!.toUpperCase() + name.slice(1).replaceAll('_', ' ');

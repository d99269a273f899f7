import type { Refusal } from './dto/inspection.dto.ts';

/** The advice for each refusal. */
export const nextSteps: Record<Refusal, string> = {
  superseded:
    'Copy the current token of the group, and put it into the page (GET /api/user returns it). A rotation with a grace period lets both work for a while.',
  overlap_expired:
    'Copy the current token of the group, and put it into the page, which still holds the one before (GET /api/user returns it).',
  revoked:
    'Somebody has ended this token on purpose. Copy the current one of the group, and put it into the page (GET /api/user returns it).',
  group_suspended:
    'Resume the group, if it was not suspended on purpose (POST /api/v1/user-groups/{id}/resume).',
  group_expired:
    'Give the group another end, or none (valid_until of PATCH /api/v1/user-groups/{id}).',
  group_incomplete: 'Give the group what the checks name (PATCH /api/v1/user-groups/{id}).',
  tokens_ended:
    'Issue a new token for the group, and put it into the page (the next GET or PUT /api/user does so by itself).',
  signature_invalid:
    'Issue an embed token here: this one was altered, or signed with a key that this service does not have.',
  issuer_differs: 'Issue another embed token: the issuer of the workspace has changed since.',
  token_expired: 'Issue another embed token when the page is loaded; they are short-lived.',
  view_as_forbidden:
    'Allow support access to the workspace, or use a token of the group (view_as of PATCH /api/v1/workspace).',
  variable_missing:
    'Issue an embed token of the format opaque with the variables that the check names: a user-group token never has them.',
  variable_refused:
    'Issue another embed token: the group or the declarations of the workspace have changed since.',
  group_deleted:
    'Restore the group from its history, or create it again: it then has another token.',
  api_token_expired: 'Issue another API token (POST /api/v1/api-tokens).',
  malformed:
    'Copy the token again, and nothing around it: it is cut off, misspelt, or has white space around it.',
  unknown:
    'It may be no token at all, a token of another workspace or environment, or one of a group that was deleted. Check where the page gets it from.',
};

const VIEW =
  'If a dashboard is blank, look at the group as its tenant does (GET /api/v1/user-groups/{id}/view).';

/** The advice for a token that is accepted; an unknown text never is. */
export const stepsIfAccepted = {
  user_group_token: `Nothing is wrong with it. ${VIEW}`,
  embed_token: `Nothing is wrong with it. If a renderer refuses it, compare aud, origin and resources with what the renderer expects. ${VIEW}`,
  api_token:
    'It is an API token: it belongs in the Authorization header of a backend, and opens no dashboard. Give the page a user-group token or an embed token.',
  unknown: '',
};

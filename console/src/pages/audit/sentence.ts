import type { ChangingAction, UnchangingAction } from '../../../../src/server/app/own-actions.ts';
import type { Schemas } from '../../own-types.ts';

type AuditEvent = Schemas['AuditEvent'];
type Details = Record<string, unknown>;

/** Verb and object of each action that is an event, too; `$` stands for the id of the object. */
const CHANGES: Record<ChangingAction, string> = {
  'api_token.expiring': 'warned that the API token $ expires',
  'api_token.issue': 'issued the API token $',
  'api_token.leaked': 'ended the leaked API token $',
  'api_token.revoke': 'revoked the API token $',
  'api_token.rotate': 'rotated the API token $',
  'api_token.update': 'changed the API token $',
  'data_source.create': 'registered the data source $',
  'data_source.delete': 'deleted the data source $',
  'data_source.update': 'changed the data source $',
  'embed_token.leaked': 'ended the leaked embed token $',
  'embed_token.revoke': 'revoked the embed token $',
  'schema.create': 'registered the schema $',
  'schema.delete': 'deleted the schema $',
  'schema.update': 'changed the schema $',
  'target.create': 'created the target $',
  'target.delete': 'deleted the target $',
  'target.issue': 'issued the token of $',
  'target.update': 'changed the target $',
  'user_group.change_limits': 'changed the limits of $',
  'user_group.create': 'created $',
  'user_group.delete': 'deleted $',
  'user_group.expiring': 'warned that $ ends',
  'user_group.mapping_unresolvable': 'cannot resolve the mapping of $',
  'user_group.quota_near': 'warned that $ is near a limit',
  'user_group.quota_reached': 'warned that $ is at a limit',
  'user_group.rename': 'renamed $',
  'user_group.resume': 'resumed $',
  'user_group.suspend': 'suspended $',
  'user_group.update': 'changed $',
  'user_group.view_as': 'looked at a dashboard as $',
  'user_group_token.leaked': 'ended the leaked token of $',
  'user_group_token.overlap_ending': 'warned that the old token of $ is in use',
  'user_group_token.revoke': 'revoked a token of $',
  'user_group_token.rotate': 'rotated the token of $',
  'webhook_endpoint.create': 'created the webhook endpoint $',
  'webhook_endpoint.delete': 'deleted the webhook endpoint $',
  'webhook_endpoint.disable': 'disabled the webhook endpoint $',
  'webhook_endpoint.overflow': 'left out events of the webhook endpoint $',
  'webhook_endpoint.roll_secret': 'replaced the secret of the webhook endpoint $',
  'webhook_endpoint.update': 'changed the webhook endpoint $',
  'webhook_endpoint.warn': 'warned that the webhook endpoint $ fails',
  'workspace.create': 'created the workspace',
  'workspace.end_tokens': 'ended tokens of the workspace',
  'workspace.update': 'changed the settings of the workspace',
};

const NO_CHANGES: Record<UnchangingAction, string> = {
  'authentication.refuse': 'was refused: the API token is not valid',
  'authorization.refuse': 'was refused: the API token lacks a scope',
  'bulk_job.cancel': 'cancelled the job $',
  'bulk_job.create': 'began the job $',
  'bulk_job.end': 'ended the job $',
  'console_session.begin': 'signed in to the console',
  'console_session.end': 'ended a session of the console',
  'encryption_key.forget': 'gave up the encryption key $',
  'encryption_key.rewrap': 'rewrapped with the key $',
  'secret.show': 'was shown the secret of $ again',
  'token.inspect': 'inspected a token',
  'user_group.export': 'exported user groups',
  'user_group_plan.apply': 'applied the plan $',
  'user_group_plan.create': 'made the plan $',
  'user_group_token.show': 'read the token of $',
  'webhook_endpoint.replay': 'sent events to the webhook endpoint $ again',
  'webhook_endpoint.test': 'sent a test event to the webhook endpoint $',
};

const WORDS: Record<string, string | undefined> = { ...CHANGES, ...NO_CHANGES };

/** The actions of the service, without those of plugins. */
export const actions = Object.keys(WORDS).sort();

/** Tells whether the service sends an action of its own as an event. */
export const isEvent = (action: string) => !Object.hasOwn(NO_CHANGES, action);

function lengthOf(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

/** The names of the fields whose values differ. */
function changedIn(before: Details = {}, after: Details = {}): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

function addition({ action, before, after, details }: AuditEvent): string {
  const { grace_period_seconds: grace, reason } = details ?? {};
  if (typeof grace === 'number') {
    return grace === 0 ? ', without overlap' : `, ${lengthOf(grace)} of overlap`;
  }
  if (typeof reason === 'string') return `: ${reason}`;
  if (!action.endsWith('.update')) return '';
  const changed = changedIn(before, after);
  return changed.length > 0 ? `: ${changed.join(', ').replaceAll('_', ' ')}` : '';
}

/** Returns what has happened, after the name of who did it; the action itself if it is a plugin's. */
export function sentenceOf(event: AuditEvent, names: ReadonlyMap<number, string>): string {
  const words = WORDS[event.action];
  if (words === undefined) return `${event.action} ${event.object?.id ?? ''}`.trim();
  const { type, id = '' } = event.object ?? {};
  const named = type === 'api_token' ? names.get(Number(id)) : undefined;
  return words.replace('$', () => named ?? id) + addition(event);
}

import { Rule, Text } from '../../platform/common/fields.ts';
import type { Violation } from '../../platform/common/problem/violation.ts';

/** The body that the page in a frame sends. */
export class EmbedSessionRequest {
  @Text('The embed token of the viewer; null ends the session.', 'eyJ…')
  @Rule(tokenOrNull, { required: 'The field token is required.' })
  token!: string | null;
}

function tokenOrNull(value: unknown, pointer: string): Violation[] {
  if (value === null || (typeof value === 'string' && value !== '')) return [];
  return [{ pointer, code: 'type', detail: 'The token must be a text, or null.' }];
}

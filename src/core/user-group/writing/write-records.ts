import { EVENT_MEMBERS } from '../../audit/audit-log.ts';
import type { RecordType } from '../../../platform/database/dialect.ts';
import { WRITTEN } from '../group/user-group-fields.ts';
import { KEY } from '../../idempotency/idempotency-keys.ts';

/** The number of a write in its wave, which its records in all lists have. */
export const N = { n: 'integer' } as const;

export const NEW_GROUP = { providedId: 'text', redactedId: 'text', ...WRITTEN } as const;
export const NEW_TOKEN = {
  tokenHash: 'bytes',
  lastFour: 'text',
  ciphertext: 'bytes',
  keyId: 'text',
} as const;
export const NEW_ENTRY = {
  schemaId: 'text',
  dataSource: 'text',
  dataSourceType: 'text',
  registeredSchemaId: 'integer',
  registeredDataSourceId: 'integer',
} as const;
const RETIREMENT = { tokenHash: 'bytes', validUntil: 'bigint', retiredBy: 'integer' } as const;

/** The lists of a wave: what its writes expect, and what they set. */
export const LISTS = {
  created: { ...N, ...NEW_GROUP },
  /** Existing groups. The version, and a generation that is not null, must still be the present one. */
  expected: { ...N, id: 'integer', version: 'integer', generation: 'integer' },
  /** `isJudged` is 1 if the rules have judged the change, so that the group has no flaw. */
  changed: { ...N, ...WRITTEN, isJudged: 'integer' },
  removed: N,
  /** Groups whose current token is replaced. */
  replaced: { ...N, ...RETIREMENT },
  /** Tokens that are replaced, if they are current; the statement finds their groups. */
  rotated: { ...N, ...RETIREMENT, mayBeEnded: 'integer' },
  issued: { ...N, ...NEW_TOKEN },
  /** The issued ones that come from elsewhere. */
  chosen: { ...N, tokenHash: 'bytes' },
  /** Groups whose mappings are replaced by `entries`. */
  remapped: N,
  entries: { ...N, ...NEW_ENTRY },
  keys: { ...N, ...KEY },
  /** The statement adds what it knows: see `happened`. */
  events: { ...N, k: 'integer', ...EVENT_MEMBERS, changedId: 'text', version: 'bigint' },
} as const satisfies Record<string, Record<string, RecordType>>;

export type ListName = keyof typeof LISTS;

/** A member that is undefined is stored as null, and is not sent. */
type WriteRecord<Name extends ListName> = Record<
  keyof (typeof LISTS)[Name],
  string | number | null | undefined
>;

export type WriteEvent = Partial<WriteRecord<'events'>>;

/** Records of the writes of a wave. */
export type WriteRecords = { [Name in Exclude<ListName, 'events'>]: WriteRecord<Name>[] } & {
  events: WriteEvent[];
};

export function noRecords(): WriteRecords {
  const lists = Object.keys(LISTS).map((name) => [name, []]);
  return Object.fromEntries(lists) as WriteRecords;
}

export type WriteParameters = WriteRecords & {
  workspaceId: number;
  now: number;
  /** The version of the rules by which the writes were planned. */
  rulesVersion: number;
};

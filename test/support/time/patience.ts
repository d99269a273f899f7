import { INTROSPECTION_LIMIT } from '../../../clients/typescript/cached-introspector.ts';
import { RULES_LOCK_LIMIT } from '../../../src/core/mapping/workspace-rules.ts';
import { TURN_LIMIT } from '../../../src/core/user-group/guard/guarded-turns.ts';
import { GATE_LIMIT } from '../../../src/platform/common/concurrency/gate.ts';
import {
  CLIENT_LIMITS,
  SERVER_LIMITS,
} from '../../../src/platform/database/data-source-options.ts';
import { LANE_LIMITS } from '../../../src/platform/database/waves/lanes.ts';

/** Longer than a busy machine holds up any call. */
const PATIENT_MS = 100_000;

/** Limits of the waits of a service for PostgreSQL, and of its calls for each other. */
const LIMITS: object[] = [
  CLIENT_LIMITS,
  SERVER_LIMITS,
  LANE_LIMITS,
  GATE_LIMIT,
  TURN_LIMIT,
  RULES_LOCK_LIMIT,
];

/** Lets services that start from now on wait as long as a busy machine needs. */
export function letServicesWait(): void {
  for (const limits of LIMITS) {
    replaceField(limits, Object.fromEntries(Object.keys(limits).map((name) => [name, PATIENT_MS])));
  }
}

/** Lets introspectors of this process wait as long. On a busy machine a call of theirs would fail otherwise. */
export function letIntrospectorsWait(): void {
  replaceField(INTROSPECTION_LIMIT, { ms: PATIENT_MS });
}

/** Replaces a field that only the object itself may change. @throws if there is none of this name */
export function replaceField(owner: object, field: Record<string, unknown>): void {
  for (const name of Object.keys(field)) {
    if (!Object.hasOwn(owner, name)) throw new Error(`there is no field ${name}`);
  }
  Object.assign(owner, field);
}

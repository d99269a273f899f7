import { CLIENT_LIMITS } from '../../../src/platform/database/data-source-options.ts';
import { Gate } from '../../../src/platform/common/concurrency/gate.ts';
import type { TestService } from '../test-service.ts';

/** Longer than a busy machine holds up any call. */
const PATIENT_MS = 100_000;

/** Lets the calls of a service wait for each other as long as a busy machine needs. */
export function letCallsWait({ app }: TestService): void {
  replaceField(app.get(Gate), { maxWaitMs: PATIENT_MS });
}

/** Lets PostgreSQL respond to services that start from now on as late as a busy machine lets it. */
export function letDatabaseRespondLate(): void {
  replaceField(CLIENT_LIMITS, { connectionTimeoutMillis: PATIENT_MS, query_timeout: PATIENT_MS });
}

/** Replaces a field that only the object itself may change. @throws if there is none of this name */
export function replaceField(owner: object, field: Record<string, unknown>): void {
  for (const name of Object.keys(field)) {
    if (!Object.hasOwn(owner, name)) throw new Error(`there is no field ${name}`);
  }
  Object.assign(owner, field);
}

import { pathToFileURL, URL } from 'node:url';

/** Longer than a busy machine holds up any call. */
const PATIENT_MS = 100_000;

/** The limits of what a built server waits for PostgreSQL, and its calls for each other, in its modules. */
const LIMITS = {
  'platform/database/data-source-options.js': ['CLIENT_LIMITS', 'SERVER_LIMITS'],
  'platform/database/waves/lanes.js': ['LANE_LIMITS'],
  'platform/common/concurrency/gate.js': ['GATE_LIMIT'],
  'core/user-group/guard/guarded-turns.js': ['TURN_LIMIT'],
  'core/mapping/workspace-rules.js': ['RULES_LOCK_LIMIT'],
};

/**
 * Lets the server that this process starts next wait as long as a busy machine needs: otherwise a moment in which the
 * machine does nothing refuses calls that a test counts.
 * @param {string} entry its main.js
 * @returns a function that sets the limits as they were
 */
export async function letServerWait(entry) {
  const changes = [];
  for (const [path, names] of Object.entries(LIMITS)) {
    const module = await import(new URL(path, pathToFileURL(entry)));
    // An older version may lack one.
    for (const limits of names.flatMap((name) => module[name] ?? [])) {
      changes.push([limits, { ...limits }]);
      for (const name of Object.keys(limits)) limits[name] = PATIENT_MS;
    }
  }
  return () => {
    for (const [limits, before] of changes) Object.assign(limits, before);
  };
}

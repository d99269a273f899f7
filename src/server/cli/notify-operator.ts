import type { Notify } from '../../platform/database/schema/migration-lock-wait.ts';

/** Writes messages of a start to standard error: standard output is for the result of the command. */
export const notifyOperator: Notify = (_level, msg, details = {}) => {
  const facts = Object.entries(details).map(
    ([name, value]) => `${name.replaceAll('_', ' ')} ${value}`,
  );
  console.error([msg, ...facts].join(', '));
};

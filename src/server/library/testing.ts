/**
 * A user group service for the tests of an application.
 * @packageDocumentation
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateToken } from '../../platform/common/secret/secrets.ts';
import type { UserGroupOptions } from '../app/declared/options.ts';

export type { UserGroupOptions };

/** A database with an API token for one test file. */
export interface TestUserGroups {
  /** For `forRoot`: an embedded database of its own, keys of its own, no webhooks and no limits. */
  options: UserGroupOptions;
  /** An API token with every scope in the workspace 1. */
  apiToken: string;
  /** Removes the database; call it when the application is closed. */
  remove: () => void;
}

/** Prepares a user group service for one test file. */
export function createTestUserGroups(): TestUserGroups {
  const dataDir = mkdtempSync(join(tmpdir(), 'user-groups-'));
  const apiToken = generateToken('uga');
  return {
    options: {
      dataDir,
      tokenEncryptionKeys: `test:${randomBytes(32).toString('base64')}`,
      bootstrapApiToken: apiToken,
      rateLimitPerMinute: 0,
      authenticationFailureLimitPerMinute: 0,
      webhookDelivery: false,
    },
    apiToken,
    remove: () => {
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

import { definePlugin } from 'user-group-service';
import {
  createIndex,
  dropIndex,
} from '../../../dist/src/platform/database/migrations/build-index.js';

/** A migration that a database already has, since the set of migrations that it begins is in use. */
class Begin9999999999901 {
  up(runner) {
    return runner.query('CREATE TABLE next_first (id integer PRIMARY KEY)');
  }

  down(runner) {
    return runner.query('DROP TABLE next_first');
  }
}

/** A migration that takes every table for itself. */
class CreateTable9999999999902 {
  up(runner) {
    return runner.query('CREATE TABLE next_second (id integer PRIMARY KEY)');
  }

  down(runner) {
    return runner.query('DROP TABLE next_second');
  }
}

const index = { name: 'next_groups_by_creation', table: 'user_group', columns: ['created_at'] };

/** A migration that takes long on a large table, and runs while callers are served. */
class IndexGroups9999999999903 {
  transaction = false;

  up(runner) {
    return createIndex(runner, index);
  }

  down(runner) {
    return dropIndex(runner, index);
  }
}

/**
 * A plugin with migrations of each kind that a later version of the service may bring. `next_migration` holds which
 * of them a database has.
 */
export default definePlugin({
  name: 'next',
  compatibility: '^0.1.0',
  migrations: [Begin9999999999901, CreateTable9999999999902, IndexGroups9999999999903],
});

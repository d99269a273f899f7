import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/**
 * Writes the settings of a PgBouncer in transaction mode before one database.
 * @param {string} directory for its settings; PgBouncer may read it
 * @param {{ port: number, target: URL, poolSize: number, ignored?: string }} settings `poolSize` connections
 *   to the database are shared by all sessions; `ignored` are startup parameters to drop, separated by
 *   commas, in place of refusing the session
 * @returns {string[]} the arguments to start it with
 */
export function preparePgBouncer(directory, { port, target, poolSize, ignored = '' }) {
  const file = join(directory, 'pgbouncer.ini');
  const { hostname, username, password, pathname } = target;
  const name = pathname.slice(1);
  const credentials = `user=${username}${password && ` password=${password}`}`;
  writeFileSync(
    file,
    `[databases]
${name} = host=${hostname} port=${target.port || 5432} dbname=${name} ${credentials}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
ignore_startup_parameters = ${ignored}
`,
  );
  chmodSync(directory, 0o755);
  // It does not run as root.
  const asUser = process.getuid() === 0 ? ['-u', 'postgres'] : [];
  return ['-q', ...asUser, file];
}

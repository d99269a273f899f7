import {
  Flag,
  Integer,
  ListOf,
  Nested,
  OneOf,
  Text,
  Time,
} from '../../../platform/common/fields.ts';
import { response } from '../../../platform/common/http/responses/response.ts';
import { Config } from '../../../platform/config/config.ts';
import { ownSettings } from '../../../platform/config/settings.ts';
import { variablesOf } from '../../../platform/config/variable.ts';

export class SystemDatabase {
  @OneOf(['postgres', 'sqlite'], '`sqlite` is the embedded database.', 'postgres')
  kind!: 'postgres' | 'sqlite';

  @Text('The version of its server or library.', '15.20')
  version!: string;
}

class SystemMigrations {
  @Integer(
    'Migrations applied to the database, including those of newer versions but not those of plugins.',
    31,
  )
  applied!: number;

  @Integer('Migrations of this version that are not applied.', 0)
  pending!: number;

  @Text.orNull(
    'The newest migration that the database has. Null before the first.',
    'CreateSchema1795640000000',
  )
  latest!: string | null;
}

class SystemChangeFeed {
  @Flag(
    'Whether it has its lease, and so can serve from memory; without it every request asks the database.',
    true,
  )
  lease_up!: boolean;

  @Flag.orNull(
    'Whether changes of other processes arrive at once, and not only within 750 ms; null if a connection for this is impossible or not needed.',
    true,
  )
  channel_up!: boolean | null;
}

export class SystemReplica {
  @Time('Start of its present connection that polls for changes.')
  connected_at!: string;

  @Time(
    'Time of its last poll: three times a second while all is well. Without a result for 750 ms it loses its lease.',
    '2030-01-01T12:30:00.000Z',
  )
  polled_at!: string;
}

class SystemEncryptionKey {
  @Text('Id as configured.', 'k2')
  id!: string;

  @Flag('Whether it is the key that encrypts; all of them decrypt.', true)
  encrypts!: boolean;
}

export class SystemEventConsumer {
  @Text('Name that the application gives it.', 'billing')
  name!: string;

  @Flag('Whether a process has its lease, and so handles events.', true)
  running!: boolean;

  @Time.orNull(
    'Time from which another process may take over; null if none has the lease.',
    '2030-01-01T12:00:30.000Z',
  )
  lease_until!: string | null;
}

/** The retention periods that the settings of the service and its features declare. */
export class SystemRetention {
  [name: string]: number;
}

for (const type of [Config, ...ownSettings]) {
  const defaults = new type() as Record<string, unknown>;
  for (const { property, retention } of variablesOf(type)) {
    if (!retention) continue;
    const [name, about] = retention;
    Integer(about, defaults[property])(SystemRetention.prototype, name);
  }
}

export class SystemLimits {
  @Integer('Requests that one API token may make in a minute; 0 for no limit.', 6000)
  calls_per_minute!: number;

  @Integer('The same for all API tokens of one workspace together.', 30000)
  workspace_calls_per_minute!: number;

  @Integer('Introspections that one API token may make in a minute; 0 for no limit.', 0)
  introspections_per_minute!: number;

  @Integer('Wrong API tokens that one address may send in a minute; 0 for no limit.', 60)
  failed_authentications_per_minute!: number;

  @Integer('Maximum size of a request body.', 262144)
  body_bytes!: number;
}

class SystemInfo {
  @Text('Version of the service.', '0.1.0')
  version!: string;

  @Text('Version of Node.js.', 'v20.20.0')
  node!: string;

  @Time('Start of the process that handles the request.')
  started_at!: string;

  @Nested(SystemDatabase, 'The database.')
  database!: SystemDatabase;

  @Nested(SystemMigrations, 'The state of its schema.')
  migrations!: SystemMigrations;

  @Nested(
    SystemChangeFeed,
    'The change feed of the process that handles the request; each replica has its own.',
  )
  change_feed!: SystemChangeFeed;

  @ListOf.orNull(
    SystemReplica,
    'The processes that poll for changes, each from its first request on, with times of the database’s clock: at most 100, of every installation that shares the database and its user. Null on the embedded database, and behind a pooler, where they cannot be distinguished.',
  )
  replicas!: SystemReplica[] | null;

  @ListOf(SystemEncryptionKey, 'The keys that are configured, in their order.')
  encryption_keys!: SystemEncryptionKey[];

  @Flag.orNull(
    'Whether anything of your workspace is still encrypted with a key other than the current one, not counting forgotten keys. Null if it would take a long search, because much of the installation is.',
    false,
  )
  rewrap_remaining!: boolean | null;

  @ListOf(
    SystemEventConsumer,
    'The durable consumers of events in applications that embed the service: the first 100 by name.',
  )
  event_consumers!: SystemEventConsumer[];

  @Nested(SystemRetention, 'Retention periods.')
  retention!: SystemRetention;

  @Nested(SystemLimits, 'Limits of requests.')
  limits!: SystemLimits;

  @ListOf(String, 'The plugins, by name.', ['seats'])
  plugins!: string[];
}

export class SystemResponse extends response('system', SystemInfo, 'The installation.') {}

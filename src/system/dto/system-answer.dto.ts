import { ApiProperty } from '../../common/api-docs.ts';
import { SUCCESS } from '../../common/http/answer-fields.ts';

export class SystemDatabase {
  @ApiProperty({
    description: '`sqlite` is the embedded database.',
    enum: ['postgres', 'sqlite'],
    example: 'postgres',
  })
  kind!: 'postgres' | 'sqlite';

  @ApiProperty({ description: 'The version of its server or library.', example: '15.20' })
  version!: string;
}

class SystemMigrations {
  @ApiProperty({
    description: 'Those that the database has seen, of newer versions included; not of plugins.',
    type: 'integer',
    example: 31,
  })
  applied!: number;

  @ApiProperty({
    description: 'Those of this version that it lacks.',
    type: 'integer',
    example: 0,
  })
  pending!: number;

  @ApiProperty({
    description: 'The newest that it has seen.',
    type: String,
    nullable: true,
    example: 'AddSubjectOfApiToken1795000000032',
  })
  latest!: string | null;
}

class SystemChangeFeed {
  @ApiProperty({
    description:
      'Whether it has its lease, and so answers from memory; without it every call asks the database.',
    example: true,
  })
  lease_up!: boolean;

  @ApiProperty({
    description:
      'Whether changes of other processes arrive at once, and not only within 750 ms; null where no connection can be had for it, or none is needed.',
    type: Boolean,
    nullable: true,
    example: true,
  })
  channel_up!: boolean | null;
}

export class SystemReplica {
  @ApiProperty({
    description: 'Since when it has had its present connection for asking what has changed.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  connected_at!: string;

  @ApiProperty({
    description:
      'When it last asked: three times a second while all is well. Without an answer for 750 ms it loses its lease.',
    format: 'date-time',
    example: '2030-01-01T12:30:00.000Z',
  })
  polled_at!: string;
}

class SystemEncryptionKey {
  @ApiProperty({ description: 'As it is configured.', example: 'k2' })
  id!: string;

  @ApiProperty({
    description: 'Whether it is the one that encrypts; every one decrypts.',
    example: true,
  })
  encrypts!: boolean;
}

export class SystemEventConsumer {
  @ApiProperty({ description: 'As the application has named it.', example: 'billing' })
  name!: string;

  @ApiProperty({
    description: 'Whether a process has its lease, and so handles events.',
    example: true,
  })
  running!: boolean;

  @ApiProperty({
    description: 'From then on another process may take its place; null if none has the lease.',
    type: String,
    format: 'date-time',
    nullable: true,
    example: '2030-01-01T12:00:30.000Z',
  })
  lease_until!: string | null;
}

export class SystemRetention {
  @ApiProperty({
    description: 'Days for which the audit log keeps an event; 0 for ever.',
    type: 'integer',
    example: 365,
  })
  audit_days!: number;

  @ApiProperty({
    description:
      'Days for which it keeps refused calls that are nobody’s; never longer than `audit_days`.',
    type: 'integer',
    example: 90,
  })
  refusal_days!: number;

  @ApiProperty({
    description:
      'Days for which it keeps to whom tokens were shown; never longer than `audit_days`.',
    type: 'integer',
    example: 30,
  })
  shown_token_days!: number;

  @ApiProperty({
    description: 'Hours for which the change feed keeps an event.',
    type: 'integer',
    example: 168,
  })
  event_hours!: number;

  @ApiProperty({
    description: 'Days for which webhooks can be replayed.',
    type: 'integer',
    example: 30,
  })
  webhook_days!: number;
}

export class SystemLimits {
  @ApiProperty({
    description: 'Calls that one API token may make in a minute; 0 for any number.',
    type: 'integer',
    example: 6000,
  })
  calls_per_minute!: number;

  @ApiProperty({
    description: 'The same for all API tokens of one workspace together.',
    type: 'integer',
    example: 30000,
  })
  workspace_calls_per_minute!: number;

  @ApiProperty({
    description: 'Wrong API tokens that one address may send in a minute; 0 for any number.',
    type: 'integer',
    example: 60,
  })
  failed_authentications_per_minute!: number;

  @ApiProperty({
    description: 'The largest body of a call.',
    type: 'integer',
    example: 262144,
  })
  body_bytes!: number;
}

class System {
  @ApiProperty({ description: 'Of the service.', example: '0.1.0' })
  version!: string;

  @ApiProperty({ description: 'Of Node.js.', example: 'v20.20.0' })
  node!: string;

  @ApiProperty({
    description: 'When the process that answers began.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  started_at!: string;

  @ApiProperty({ description: 'Where everything is stored.', type: () => SystemDatabase })
  database!: SystemDatabase;

  @ApiProperty({ description: 'Its schema.', type: () => SystemMigrations })
  migrations!: SystemMigrations;

  @ApiProperty({
    description: 'How the process that answers hears of changes; each replica has its own.',
    type: () => SystemChangeFeed,
  })
  change_feed!: SystemChangeFeed;

  @ApiProperty({
    description:
      'The processes that are connected to ask what has changed, which each begins to do with its first call, by the database’s clock: at most 100, of every installation that shares the database and its user. Null on the embedded database, and behind a pooler, where they cannot be told.',
    type: () => SystemReplica,
    isArray: true,
    nullable: true,
  })
  replicas!: SystemReplica[] | null;

  @ApiProperty({
    description: 'The keys that are configured, in their order.',
    type: () => SystemEncryptionKey,
    isArray: true,
  })
  encryption_keys!: SystemEncryptionKey[];

  @ApiProperty({
    description:
      'Whether anything of your workspace is still encrypted with another key than the one that encrypts, forgotten keys left aside. Null if it cannot be told without a long search, because much of the installation is.',
    type: Boolean,
    nullable: true,
    example: false,
  })
  rewrap_remaining!: boolean | null;

  @ApiProperty({
    description:
      'The durable consumers of events in the applications that have taken the service in: the first 100 by name.',
    type: () => SystemEventConsumer,
    isArray: true,
  })
  event_consumers!: SystemEventConsumer[];

  @ApiProperty({ description: 'How long things are kept.', type: () => SystemRetention })
  retention!: SystemRetention;

  @ApiProperty({ description: 'What callers may do.', type: () => SystemLimits })
  limits!: SystemLimits;

  @ApiProperty({ description: 'The plugins, by name.', type: [String], example: ['seats'] })
  plugins!: string[];
}

/** The installation. */
export class SystemAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'The installation.', type: () => System })
  system!: System;
}

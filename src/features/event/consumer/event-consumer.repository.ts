import { Injectable } from '@nestjs/common';
import { currentTime } from '../../../platform/common/time.ts';
import type { ChangePosition } from '../../../core/change-log/change-reader.ts';
import { statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import type { EventConsumerRecord } from './event-consumer.entity.ts';

type ConsumerName = Pick<EventConsumerRecord, 'name'>;
type Lease = ConsumerName & { owner: string };
type ConsumerState = Pick<EventConsumerRecord, 'position' | 'leaseOwner' | 'leaseUntil'>;

const find = statement<ConsumerName, ConsumerState>(
  'event-consumer.find',
  () => `
    SELECT position, lease_owner AS "leaseOwner", lease_until AS "leaseUntil"
    FROM event_consumer WHERE name = :name`,
);

const findPositions = statement<object, Pick<ConsumerState, 'position'>>(
  'event-consumer.find-positions',
  () => 'SELECT position FROM event_consumer',
);

const LISTED = 100;

const list = statement<object, Pick<EventConsumerRecord, 'name' | 'leaseUntil'>>(
  'event-consumer.list',
  () => `
    SELECT name, lease_until AS "leaseUntil" FROM event_consumer ORDER BY name LIMIT ${LISTED}`,
);

const begin = statement<ConsumerName & { position: string; now: number }>(
  'event-consumer.begin',
  () => `
    INSERT INTO event_consumer (name, position, created_at, updated_at)
    VALUES (:name, :position, :now, :now) ON CONFLICT (name) DO NOTHING`,
);

const claim = statement<
  Lease & { now: number; until: number; latest: number },
  Pick<ConsumerState, 'position'>
>(
  'event-consumer.claim',
  () => `
    UPDATE event_consumer SET lease_owner = :owner, lease_until = :until
    WHERE name = :name
      AND (lease_owner IS NULL OR lease_owner = :owner OR lease_until <= CAST(:now AS bigint)
        OR lease_until > CAST(:latest AS bigint))
    RETURNING position`,
);

const renew = statement<Lease & { until: number }, ConsumerName>(
  'event-consumer.renew',
  () => `
    UPDATE event_consumer SET lease_until = :until WHERE name = :name AND lease_owner = :owner
    RETURNING name`,
);

const advance = statement<Lease & { position: string; now: number; until: number }, ConsumerName>(
  'event-consumer.advance',
  () => `
    UPDATE event_consumer SET position = :position, updated_at = :now, lease_until = :until
    WHERE name = :name AND lease_owner = :owner
    RETURNING name`,
);

const release = statement<Lease>(
  'event-consumer.release',
  () => `
    UPDATE event_consumer SET lease_owner = NULL, lease_until = NULL
    WHERE name = :name AND lease_owner = :owner`,
);

/** Stores durable consumers. Only the holder of the lease writes a position. Every method throws DatabaseUnavailable. */
@Injectable()
export class EventConsumerRepository {
  constructor(
    private readonly statements: Statements,
    private readonly transactor: Transactor,
  ) {}

  /** Returns undefined for a consumer that has never begun. */
  async find(name: string): Promise<ConsumerState | undefined> {
    return (await this.statements.read(find, { name }))[0];
  }

  /** Includes consumers without any subscription. */
  async findPositions(): Promise<ChangePosition[]> {
    return (await this.statements.read(findPositions, {})).map(({ position }) => position);
  }

  /** Lists the first hundred by name. */
  list(): Promise<Pick<EventConsumerRecord, 'name' | 'leaseUntil'>[]> {
    return this.statements.read(list, {});
  }

  /** Starts the consumer at a position, unless it has begun before. */
  async begin(name: string, position: ChangePosition): Promise<void> {
    await this.transactor.apply(begin, { name, position, now: currentTime() });
  }

  /**
   * Acquires or extends the lease; returns undefined while another process has it.
   * @param latest a lease that ends later is of a clock that was ahead
   */
  async claim(
    lease: Lease,
    { until, latest }: { until: number; latest: number },
  ): Promise<ChangePosition | undefined> {
    const row = { ...lease, until, latest, now: currentTime() };
    const [claimed] = await this.transactor.apply(claim, row);
    return claimed?.position;
  }

  /** Extends the lease; returns false if another process has it. */
  async renew(lease: Lease, until: number): Promise<boolean> {
    return (await this.transactor.apply(renew, { ...lease, until })).length > 0;
  }

  /** Stores the handled position; returns false, and stores nothing, if another process has the lease. */
  async advance(lease: Lease, position: ChangePosition, until: number): Promise<boolean> {
    const advanced = await this.transactor.apply(advance, {
      ...lease,
      position,
      until,
      now: currentTime(),
    });
    return advanced.length > 0;
  }

  async release(lease: Lease): Promise<void> {
    await this.transactor.apply(release, lease);
  }
}

import { type Answer, NDJSON } from '../../support/api/api-client.ts';
import { untilPolled } from '../../support/api/polls.ts';
import {
  isOfChangeFeed,
  recordCalls,
  type RoundTrip,
} from '../../support/database/database-traffic.ts';
import { type DatabaseKind, onEachDatabase } from '../../support/database/databases.ts';
import { withService } from '../../support/test-service.ts';

const CALLERS = 64;
const LINES = 50;
/** A timer or an announcement that runs during the calls can only add to the count: the cheapest run is kept. */
const REPETITIONS = 3;

interface Cost {
  statements: number;
  roundTrips: number;
}

/**
 * The cost of each operation to the database: exactly this when one caller is alone, at most this for 64 callers at
 * once, each with a group of its own. BEGIN and COMMIT count; on SQLite a statement is a round trip. A slow machine
 * may have forgotten the tokens that 64 callers introspect again. If a change makes an operation cheaper, lower its
 * line.
 */
const COSTS: Record<DatabaseKind, Record<string, { alone: Cost; together?: Cost }>> = {
  postgres: {
    create: { alone: cost(2), together: cost(12) },
    'look-up': { alone: cost(1), together: cost(8) },
    'introspect for the first time': { alone: cost(1), together: cost(8) },
    'introspect again': { alone: cost(0) },
    rotate: { alone: cost(1), together: cost(8) },
    'rotate what is not there': { alone: cost(1), together: cost(8) },
  },
  sqlite: {
    create: { alone: cost(11), together: cost(60) },
    'look-up': { alone: cost(1), together: cost(8) },
    'introspect for the first time': { alone: cost(1), together: cost(8) },
    'introspect again': { alone: cost(0) },
    rotate: { alone: cost(9), together: cost(40) },
    'rotate what is not there': { alone: cost(9), together: cost(20) },
  },
};

/** The upper bounds of an import. */
const IMPORT_COSTS: Record<DatabaseKind, Cost> = { postgres: cost(8), sqlite: cost(50) };

function cost(statements: number, roundTrips = statements): Cost {
  return { statements, roundTrips };
}

onEachDatabase((kind) => {
  const roundTrips = recordCalls();
  const service = withService(kind);
  const alone: Record<string, RoundTrip[]> = {};
  const together: Record<string, RoundTrip[]> = {};

  beforeAll(async () => {
    for (let repetition = 1; repetition <= REPETITIONS; repetition++) {
      const run = `run ${repetition}`;
      await measureCalls(`${run}, alone`, 1, alone);
      await measureCalls(`${run}, together`, CALLERS, together);
      await measure('import', alone, () => importLines(run));
    }
  });

  const { [kind]: costs } = COSTS;

  test.each(Object.entries(costs))('one caller alone: %s', (operation, { alone: expected }) => {
    const sent = alone[operation]!;
    expect({ ...costOf(sent), sent }).toEqual({ ...expected, sent });
  });

  const shared = Object.entries(costs).filter(([, { together: most }]) => most);
  test.each(shared)(`${CALLERS} callers at once: %s`, (operation, { together: most }) => {
    expectAtMost(together[operation]!, most!);
  });

  test(`an import of ${LINES} lines`, () => {
    expectAtMost(alone['import']!, IMPORT_COSTS[kind]);
  });

  /** Each operation by as many callers at once, each with a group of its own. */
  async function measureCalls(name: string, callers: number, into: Record<string, RoundTrip[]>) {
    const { api } = service;
    const groups = Array.from({ length: callers }, (_, caller) => groupOf(`${name} ${caller}`));
    const each = <T>(things: T[], call: (thing: T) => Promise<Answer>) => all(things.map(call));
    const created = await measure('create', into, () => each(groups, (group) => api.get(group)));
    // The poll that tells of the creations makes them be read again.
    if (kind === 'postgres') await untilPolled(service);
    const tokens = created.map(({ body }) => body.user_group.token);
    const introspect = (token: string) => api.call('POST', '/api/v1/introspect', { token });
    await measure('look-up', into, () => each(groups, (group) => api.get(group)));
    await measure('introspect for the first time', into, () => each(tokens, introspect));
    await measure('introspect again', into, () => each(tokens, introspect));
    await measure('rotate', into, () =>
      each(tokens, (current_token) => api.post({ current_token })),
    );
    await measure('rotate what is not there', into, async () => {
      const answers = await Promise.all(tokens.map((current_token) => api.post({ current_token })));
      expect(answers.every(({ status }) => status === 404)).toBe(true);
    });
  }

  async function importLines(name: string) {
    const lines = Array.from({ length: LINES }, (_, line) =>
      JSON.stringify(groupOf(`${name}, line ${line}`)),
    );
    const path = '/api/v1/user-groups/import';
    const answer = await service.api.call('POST', path, lines.join('\n'), NDJSON);
    expect(answer.body).toMatchObject({ summary: { created: LINES } });
  }

  /** Keeps the cheapest run of each operation. */
  async function measure<T>(
    operation: string,
    into: Record<string, RoundTrip[]>,
    work: () => Promise<T>,
  ): Promise<T> {
    roundTrips.length = 0;
    const result = await work();
    const sent = roundTrips.filter((roundTrip) => !roundTrip.every(isOfChangeFeed));
    const before = into[operation];
    if (!before || costOf(sent).statements < costOf(before).statements) into[operation] = sent;
    return result;
  }
});

function groupOf(user_group_id: string) {
  return { user_group_id, name: 'Cost', mapping: { sales: 'a' }, properties: { seats: 1 } };
}

async function all(calls: Promise<Answer>[]): Promise<Answer[]> {
  const answers = await Promise.all(calls);
  for (const { status } of answers) expect(status).toBe(200);
  return answers;
}

function expectAtMost(sent: RoundTrip[], most: Cost): void {
  const { statements, roundTrips } = costOf(sent);
  expect(statements).toBeLessThanOrEqual(most.statements);
  expect(roundTrips).toBeLessThanOrEqual(most.roundTrips);
}

function costOf(roundTrips: RoundTrip[]): Cost {
  return cost(roundTrips.flat().length, roundTrips.length);
}

import { dialectOf } from '../../src/platform/database/dialect.ts';
import {
  CompiledStatements,
  type SqlParameter,
  type Statement,
  statementsByName,
} from '../../src/platform/database/statement.ts';
import { ModulesContainer } from '@nestjs/core';
import { applyCounted } from '../../src/core/user-group/writing/write-statements.ts';
import { importGroups } from '../support/api/lines.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { layOutSql } from './lay-out-sql.ts';

/** A statement of several steps, with the parameters of a call. */
interface Recorded {
  statement: Statement<Record<string, SqlParameter>, unknown>;
  parameters: Record<string, SqlParameter>;
}

const GROUP = { user_group_id: 'acme', name: 'Acme', mapping: { sales: 'warehouse' } };

/** The forms of statements that the files show, by the name of the file. Each call follows the one before it. */
const FORMS: Record<string, { about: string; call: (service: TestService) => Promise<unknown> }> = {
  create: {
    about: 'PUT /api/user creates a user group with a mapping of one entry.',
    call: ({ api }) => api.put(GROUP),
  },
  change: {
    about: 'PUT /api/user changes the name and the mapping of a user group.',
    call: ({ api }) => api.put({ ...GROUP, name: 'Acme EMEA', mapping: { sales: 'archive' } }),
  },
  rotate: {
    about: 'POST /api/user replaces the token of a user group, with an Idempotency-Key.',
    call: async ({ api }) => {
      const { body } = await api.put(GROUP);
      const rotation = { current_token: body.user_group.token, grace_period_seconds: 600 };
      return api.send({
        method: 'POST',
        path: '/api/user',
        body: rotation,
        headers: { 'Idempotency-Key': 'once' },
      });
    },
  },
  import: {
    about:
      'POST /api/v1/user-groups/import replaces the token of a user group by one issued elsewhere.',
    call: ({ api }) => importGroups(api, { ...GROUP, token: 'issued-elsewhere-0123456789' }),
  },
  delete: {
    about: 'DELETE /api/v1/user-groups/{id} deletes a user group.',
    call: ({ api }) => api.call('DELETE', '/api/v1/user-groups/acme'),
  },
  other: {
    about:
      'POST /api/v1/api-tokens records its change and its audit event. All changes of other objects do the same.',
    call: ({ api }) =>
      api.call('POST', '/api/v1/api-tokens', { name: 'renderer', scopes: ['tokens:introspect'] }),
  },
};

const WAVE = 'A wave creates a user group and changes another, in a workspace with a quota.';

const KINDS = { postgres: 'PostgreSQL', sqlite: 'SQLite' } as const;

/** The files docs/sql/*.sql: typical forms of the statements that store changes, in each database. */
export const sqlDocuments = Object.fromEntries(
  [...Object.keys(FORMS), 'wave', 'all'].flatMap((form) =>
    (['postgres', 'sqlite'] as const).map((kind) => [
      `docs/sql/${form}.${kind}.sql`,
      async () => {
        if (form === 'all') return allWrites(kind);
        recorded ??= record();
        return sqlOf(
          form === 'wave' ? WAVE : FORMS[form]!.about,
          (await recorded).get(form)!,
          kind,
        );
      },
    ]),
  ),
);

/** Matches SQL that changes rows, and no lock. */
export const WRITES = /\b(?:INSERT INTO|DELETE FROM|(?<!FOR |FOR NO KEY |DO )UPDATE) [a-z_$]/;

type Sql = Statement<never, unknown>['sql'];

/** Returns the text of a statement in its form for lists of any length, or one text for each of its steps. */
function textsOf(sql: Sql, kind: keyof typeof KINDS): { name?: string; sql: string }[] {
  const found = sql(dialectOf({ type: kind } as Parameters<typeof dialectOf>[0]), () => true);
  if (typeof found === 'string') return [{ sql: found }];
  return found.flatMap(({ name, sql: text }) => (text === undefined ? [] : [{ name, sql: text }]));
}

/** The sweeps of a service that remove expired rows, by the name of the class. */
function sweepsOf({ app }: TestService): [string, Sql][] {
  const providers = [...app.get(ModulesContainer).values()].flatMap((one) => [
    ...one.providers.values(),
  ]);
  const sweeps = new Map<string, Sql>();
  for (const { instance } of providers) {
    const { removeExpired } = Object(instance) as { removeExpired?: { sql: Sql } };
    if (removeExpired) sweeps.set((instance as object).constructor.name, removeExpired.sql);
  }
  return [...sweeps];
}

/** Returns the document of every statement that changes rows, but those of several forms. */
async function allWrites(kind: keyof typeof KINDS): Promise<string> {
  recorded ??= record();
  const forms = new Set([...(await recorded).values()].map(({ statement }) => statement.name));
  const all = [...statementsByName].map(([name, { sql }]): [string, Sql] => [name, sql]);
  const writes = [...all.filter(([name]) => !forms.has(name)), ...sweeps!]
    .map(([name, sql]) => ({ name, texts: textsOf(sql, kind) }))
    .filter(({ texts }) => texts.some(({ sql }) => WRITES.test(sql)))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const parts = writes.map(({ name, texts }) => {
    const laid = texts.map((text) => {
      const step = text.name === undefined ? '' : `-- step ${text.name}\n`;
      return `${step}${layOutSql(text.sql, '\n')};`;
    });
    return [`-- ${name}`, ...laid].join('\n');
  });
  return `-- This file has every other statement that changes rows, in its form for ${KINDS[kind]}, sorted by name.
-- The name of a class is that of a sweep, which removes expired rows.
-- :name is a value, or a list as JSON.
-- This file is made from the code by \`npm run docs\`.

${parts.join('\n\n')}
`;
}

let sweeps: [string, Sql][] | undefined;
let recorded: Promise<Map<string, Recorded>> | undefined;

/** Makes the calls, and returns the last statement of several steps of each. */
async function record(): Promise<Map<string, Recorded>> {
  const bind = jest.spyOn(CompiledStatements.prototype, 'bind');
  const service = await startTestService('sqlite');
  const found = new Map<string, Recorded>();
  for (const [form, { call }] of Object.entries(FORMS)) {
    bind.mockClear();
    await call(service);
    const bound = (bind.mock.calls as unknown[][]).map(
      ([statement, parameters]) => ({ statement, parameters }) as Recorded,
    );
    found.set(
      form,
      bound.findLast(({ statement }) => hasSteps(statement))!,
    );
  }
  sweeps = sweepsOf(service);
  await service.close();
  bind.mockRestore();
  const changed = found.get('change')!.parameters;
  const wave = Object.entries(found.get('create')!.parameters).map(([name, value]) => [
    name,
    Array.isArray(value) ? [...value, ...(changed[name] as object[])] : value,
  ]);
  const parameters = Object.fromEntries(wave) as Recorded['parameters'];
  return found.set('wave', { statement: applyCounted, parameters });
}

function hasSteps({ sql }: Recorded['statement']): boolean {
  return typeof sql(dialectOf({ type: 'postgres' }), () => true) !== 'string';
}

function sqlOf(
  about: string,
  { statement, parameters }: Recorded,
  kind: keyof typeof KINDS,
): string {
  const compiled = new CompiledStatements(
    dialectOf({ type: kind } as Parameters<typeof dialectOf>[0]),
    false,
  );
  const { texts } = compiled.bind(statement, parameters);
  const lists = Object.entries(parameters).filter(
    ([, value]) => Array.isArray(value) && value.length > 0,
  );
  const statements = texts.map((text) => {
    const laid = `${layOutSql(withNames(text), kind === 'postgres' ? '\n\n' : '\n')};`;
    return text.step ? `-- ${text.step.name}\n${laid}` : laid;
  });
  const way =
    kind === 'postgres'
      ? 'All steps are one statement. Each reads the rows of earlier ones by their names.'
      : 'Its steps run one after another, in one transaction. Each begins with the rows of earlier ones that it reads.';
  return `-- ${about}
-- This is the statement ${statement.name!} in the form for ${KINDS[kind]}.
-- ${way}
-- Lists with records: ${lists.map(([name]) => name).join(', ')}.
-- The steps of lists without records are left out.
-- :name is a value, and :list.member a value of the only record of a list.
-- :list has the records of a list, or the rows of a step, as JSON. The driver gets a placeholder for each.
-- This file is made from the code by \`npm run docs\`.

${statements.join('\n\n')}
`;
}

/** A text with the names of its values in the places that a driver fills. */
function withNames({
  text,
  order,
}: ReturnType<CompiledStatements['bind']>['texts'][number]): string {
  const names = order.map(({ name, member }) =>
    member === undefined ? `:${name}` : `:${name}.${member}`,
  );
  let at = 0;
  const named = text.replace(/\$\d+|\?/g, () => names[at++]!);
  if (at !== names.length) throw new Error(`${at} places have ${names.length} values: ${text}`);
  return named;
}

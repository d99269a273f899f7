import { api, Refusal, dataOf } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';

type Registered = Schemas['Schema'];

/** The entries of a mapping that a page looks up: each takes up to four calls. */
export const LOOKED_UP_AT_MOST = 40;

/** Numbers by which a mapping can name an entry of the registry. */
const NUMBER = /^[1-9]\d{0,8}$/;

/** Finds the entry of the registry that a mapping names: a string by your id, or else by our number; a number by our number only. */
async function thingNamed(
  named: string | number,
  byProvidedId: (provided_id: string) => Promise<Registered[]>,
  byNumber: (id: number) => Promise<Registered>,
): Promise<Registered | undefined> {
  const [found] = typeof named === 'string' ? await byProvidedId(named) : [];
  if (found || !NUMBER.test(String(named))) return found;
  try {
    return await byNumber(Number(named));
  } catch (error) {
    if (error instanceof Refusal && error.problem.status === 404) return undefined;
    throw error;
  }
}

export function schemaNamed(named: string, signal: AbortSignal) {
  return thingNamed(
    named,
    async (provided_id) => {
      const params = { query: { provided_id } };
      return (await dataOf(api.GET('/api/v1/schemas', { params, signal }))).schemas;
    },
    async (id) => {
      const params = { path: { id } };
      return (await dataOf(api.GET('/api/v1/schemas/{id}', { params, signal }))).schema;
    },
  );
}

export function sourceNamed(named: string | number, signal: AbortSignal) {
  return thingNamed(
    named,
    async (provided_id) => {
      const params = { query: { provided_id } };
      return (await dataOf(api.GET('/api/v1/data-sources', { params, signal }))).data_sources;
    },
    async (id) => {
      const params = { path: { id } };
      return (await dataOf(api.GET('/api/v1/data-sources/{id}', { params, signal }))).data_source;
    },
  );
}

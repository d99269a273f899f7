import { api, dataOf } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';

export type Entry = Schemas['Schema'];

/** The two kinds of entries that a mapping names, which the API treats alike. */
export interface Kind {
  path: 'schemas' | 'data-sources';
  one: string;
  many: string;
  about: string;
  list: (
    query: object,
    signal: AbortSignal,
  ) => Promise<{ rows: Entry[]; next: string | undefined }>;
  get: (id: number, signal: AbortSignal) => Promise<Entry>;
  create: (body: Schemas['CreateRegistryEntryRequest']) => Promise<Entry>;
  rename: (id: number, name: string) => Promise<unknown>;
  remove: (id: number) => Promise<unknown>;
  references: (
    id: number,
    query: object,
    signal: AbortSignal,
  ) => Promise<Schemas['ReferencesResponse']>;
}

const byId = (id: number) => ({ params: { path: { id } } });

export const KINDS: Kind[] = [
  {
    path: 'schemas',
    one: 'schema',
    many: 'Schemas',
    about: 'What dashboards are written against: the keys of a mapping.',
    list: async (query, signal) => {
      const response = await dataOf(api.GET('/api/v1/schemas', { params: { query }, signal }));
      return { rows: response.schemas, next: response.next_cursor };
    },
    get: async (id, signal) =>
      (await dataOf(api.GET('/api/v1/schemas/{id}', { ...byId(id), signal }))).schema,
    create: async (body) => (await dataOf(api.POST('/api/v1/schemas', { body }))).schema,
    rename: (id, name) =>
      dataOf(api.PATCH('/api/v1/schemas/{id}', { ...byId(id), body: { name } })),
    remove: (id) => dataOf(api.DELETE('/api/v1/schemas/{id}', byId(id))),
    references: (id, query, signal) =>
      dataOf(
        api.GET('/api/v1/schemas/{id}/references', { params: { path: { id }, query }, signal }),
      ),
  },
  {
    path: 'data-sources',
    one: 'data source',
    many: 'Data sources',
    about: 'What is queried: the values of a mapping, by ID or internal number.',
    list: async (query, signal) => {
      const response = await dataOf(api.GET('/api/v1/data-sources', { params: { query }, signal }));
      return { rows: response.data_sources, next: response.next_cursor };
    },
    get: async (id, signal) =>
      (await dataOf(api.GET('/api/v1/data-sources/{id}', { ...byId(id), signal }))).data_source,
    create: async (body) => (await dataOf(api.POST('/api/v1/data-sources', { body }))).data_source,
    rename: (id, name) =>
      dataOf(api.PATCH('/api/v1/data-sources/{id}', { ...byId(id), body: { name } })),
    remove: (id) => dataOf(api.DELETE('/api/v1/data-sources/{id}', byId(id))),
    references: (id, query, signal) =>
      dataOf(
        api.GET('/api/v1/data-sources/{id}/references', {
          params: { path: { id }, query },
          signal,
        }),
      ),
  },
];

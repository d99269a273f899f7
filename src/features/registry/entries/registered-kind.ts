import { DataSourceNotFound, SchemaNotFound } from './registry.errors.ts';
import type { ErrorClass } from '../../../platform/common/problem/problem.ts';

export interface EntryKind {
  type: 'schema' | 'data_source';
  name: string;
  table: 'registered_schema' | 'registered_data_source';
  /** Maximum per workspace. */
  limit: number;
  NotFound: ErrorClass;
}

export const schemaKind: EntryKind = {
  type: 'schema',
  name: 'schema',
  table: 'registered_schema',
  limit: 200,
  NotFound: SchemaNotFound,
};

export const dataSourceKind: EntryKind = {
  type: 'data_source',
  name: 'data source',
  table: 'registered_data_source',
  limit: Infinity,
  NotFound: DataSourceNotFound,
};

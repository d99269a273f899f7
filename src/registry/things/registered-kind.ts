import { DataSourceNotFound, type ErrorClass, SchemaNotFound } from '../../common/problem/errors.ts';
import type { ReferringColumn } from '../../user-group/conformance/mapping-referrers.ts';

export interface RegisteredKind {
  type: 'schema' | 'data_source';
  name: string;
  table: 'registered_schema' | 'registered_data_source';
  referredBy: ReferringColumn;
  /** Maximum per workspace. */
  limit: number;
  NotFound: ErrorClass;
}

export const schemaKind: RegisteredKind = {
  type: 'schema',
  name: 'schema',
  table: 'registered_schema',
  referredBy: 'registered_schema_id',
  limit: 200,
  NotFound: SchemaNotFound,
};

export const dataSourceKind: RegisteredKind = {
  type: 'data_source',
  name: 'data source',
  table: 'registered_data_source',
  referredBy: 'registered_data_source_id',
  limit: Infinity,
  NotFound: DataSourceNotFound,
};

import { DataSourceNotFound, SchemaNotFound, type ServiceError } from '../../common/errors.ts';
import type { ReferringColumn } from '../../user-group/conformance/mapping-referrers.ts';

/** One of the two kinds of things that a mapping refers to. */
export interface RegisteredKind {
  /** Its name in the audit log. */
  type: 'schema' | 'data_source';
  /** Its name for people. */
  name: string;
  table: 'registered_schema' | 'registered_data_source';
  /** The column of `data_source_mapping` that refers to it. */
  referredBy: ReferringColumn;
  /** How many of it a workspace can have. */
  limit: number;
  NotFound: new () => ServiceError;
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

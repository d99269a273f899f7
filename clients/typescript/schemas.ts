import type { components, operations } from './schema.js';

/** The objects that the service receives and returns, by the names of the OpenAPI document. */
export type Schemas = components['schemas'];

/** The query parameters of an operation. */
export type Query<Name extends keyof operations> = NonNullable<
  operations[Name]['parameters']['query']
>;

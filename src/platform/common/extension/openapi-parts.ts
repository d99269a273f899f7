import type { OpenAPIObject } from '@nestjs/swagger';
import type { DocumentedError } from '../operation.ts';

type SecurityScheme = Exclude<
  NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>[string],
  { $ref: string }
>;

interface OperationExample {
  request?: object;
  response: object;
}

/** The parts of a feature in the OpenAPI document that no decorator of a handler has. */
export interface OpenApiParts {
  /** Tags of operations, with a sentence each; the document has them in the order of the features. */
  tags?: Readonly<Record<string, string>>;
  /** Ways in which callers of its operations authenticate, other than those of every service. */
  securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  /** Examples of the operations that people start with, by operation id. A test compares them with real responses. */
  examples?: Readonly<Record<string, OperationExample>>;
  /** Errors that it adds to operations of other features, which take a body, by operation id. */
  problems?: Readonly<Record<string, readonly DocumentedError[]>>;
  /** Requests that the service sends, by name. */
  webhooks?: Readonly<Record<string, OpenAPIObject['paths'][string]>>;
}

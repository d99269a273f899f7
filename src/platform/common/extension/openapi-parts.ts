import type { OpenAPIObject } from '@nestjs/swagger';

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
  /** Requests that the service sends, by name; in the document if it has operations of their tag. */
  webhooks?: Readonly<Record<string, OpenAPIObject['paths'][string]>>;
}

import { describeOpenApi } from '../../../src/server/app/openapi/openapi.ts';
import type { SendOptions } from './api-client.ts';
import { withSharedInPlace } from './openapi-schemas.ts';

interface Property {
  type?: string;
  example?: unknown;
  enum?: unknown[];
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
}

interface Operation {
  'x-required-scopes'?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<
      string,
      { properties: Record<string, Property>; additionalProperties?: boolean }
    >;
  };
}

/** An operation as the OpenAPI document describes it. */
export interface DescribedOperation {
  method: string;
  /** With braces, as `/api/v1/user-groups/{id}`. */
  path: string;
  /** Empty where no token is asked for. */
  scopes: string[];
  /** The text of every schema of its answers that are no problems, with what they refer to. */
  answers: string;
  parameters: Parameter[];
  /** The first of `mediaTypes`. */
  mediaType: string | undefined;
  mediaTypes: string[];
  fields: Record<string, Property>;
  /** Whether the schema of the body has no other fields. */
  refusesOthers: boolean;
}

/** Every operation of the OpenAPI document, which a test compares with the routes. */
export async function describeOperations(): Promise<DescribedOperation[]> {
  const document = withSharedInPlace(await describeOpenApi()) as unknown as Document;
  const { schemas } = document.components;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const [mediaType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
      const schema = content && schemas[content.schema.$ref.split('/').at(-1)!];
      return {
        method: method.toUpperCase(),
        path,
        scopes: operation['x-required-scopes'] ?? [],
        answers: answersOf(operation, schemas),
        parameters: operation.parameters ?? [],
        mediaType,
        mediaTypes: Object.keys(operation.requestBody?.content ?? {}),
        fields: schema?.properties ?? {},
        refusesOthers: schema?.additionalProperties === false,
      };
    }),
  );
}

function answersOf({ responses }: Operation, schemas: Document['components']['schemas']): string {
  let text = JSON.stringify(
    Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([, response]) => response),
  );
  const known = new Set<string>();
  for (;;) {
    const [, next] =
      [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].find(
        ([, name]) => !known.has(name!),
      ) ?? [];
    if (next === undefined) return text;
    known.add(next);
    text += JSON.stringify(schemas[next]);
  }
}

/** The operation called with a text in each place that takes one: one place at a time, the rest as the examples say. */
export function callsWith(operation: DescribedOperation, text: string): SendOptions[] {
  const { parameters, fields } = operation;
  const inFields = Object.entries(fields).flatMap(([name, { type }]) => [
    { [name]: text },
    ...(type === 'array' ? [{ [name]: [text] }] : []),
    ...(type === 'object' ? [{ [name]: { [text]: text } }] : []),
  ]);
  return [
    ...parameters.map(({ name }) => call(operation, { parameter: { name, text } })),
    ...inFields.map((field) => call(operation, { field })),
  ];
}

/** The operation called with a value that is not of its type in one field of the body, for each field. */
export function callsWithWrongTypes(
  operation: DescribedOperation,
): { field: string; call: SendOptions }[] {
  return Object.entries(operation.fields).flatMap(([field, { type }]) =>
    (WRONG_TYPES[type ?? ''] ?? []).map((value) => ({
      field,
      call: call(operation, { field: { [field]: value } }),
    })),
  );
}

/** The operation called as the examples say, with one field more. */
export function callWithField(operation: DescribedOperation, field: object): SendOptions {
  return call(operation, { field });
}

const WRONG_TYPES: Record<string, unknown[]> = {
  string: [7, true, {}, ['x']],
  integer: ['7', 1.5, true, {}, [7]],
  boolean: ['true', 1, {}, [true]],
  array: ['x', 7, { 0: 'x' }],
  object: ['x', 7, true, []],
};

/** The operation called as the examples of its document say. */
export function callOf(operation: DescribedOperation): SendOptions {
  return call(operation, {});
}

function call(
  { method, path, parameters, mediaType, fields }: DescribedOperation,
  { parameter, field }: { parameter?: { name: string; text: string }; field?: object },
): SendOptions {
  const textOf = (name: string) =>
    encodeURIComponent(parameter?.name === name ? parameter.text : '1');
  const examples = Object.fromEntries(
    Object.entries(fields).map(([name, { example, enum: one }]) => [name, example ?? one?.[0]]),
  );
  const place = parameters.find(({ name }) => name === parameter?.name)?.in;
  const query = parameters
    .filter((one) => one.in === 'query' && (one.required === true || one.name === parameter?.name))
    .map(({ name }) => `${name}=${textOf(name)}`);
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (_all, name: string) => textOf(name)) + `?${query.join('&')}`.replace(/\?$/, ''),
    ...(mediaType && { body: JSON.stringify({ ...examples, ...field }) }),
    headers: {
      ...(mediaType && { 'Content-Type': mediaType }),
      ...(place === 'header' && {
        [parameter!.name]: parameter!.text.replace(/[^\x20-\x7e]/g, ''),
      }),
    },
  };
}

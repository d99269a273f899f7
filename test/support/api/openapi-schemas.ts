import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** The parts of the OpenAPI document that the tests of responses read. */
export interface DescribedResponses {
  paths: object;
  components?: object;
}

/** Every object must have the described fields and no others, unless its schema invites more. */
export function createAjv(document: DescribedResponses): Ajv2020 {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const components = JSON.parse(
    JSON.stringify(withBasesInPlace(document.components)),
    (_key, value: unknown) => close(value),
  ) as object;
  ajv.addSchema({ $id: 'https://document.test/', components });
  return ajv;
}

/**
 * Puts each shared response, example, parameter and header field where the document refers to it, the properties of a
 * schema into those that extend it, and what the document asks of callers into the operations that do not say it.
 */
export function withSharedInPlace<T extends DescribedResponses>(document: T): T {
  const components = withBasesInPlace(document.components) as Record<
    string,
    Record<string, object>
  >;
  const text = JSON.stringify({ ...document, components }, (_key, value: unknown) => {
    const { $ref } = Object(value) as { $ref?: string };
    const [, kind, name] =
      /^#\/components\/(responses|examples|parameters|headers)\/(.+)$/.exec($ref ?? '') ?? [];
    return kind ? components[kind]![name!] : value;
  });
  const whole = JSON.parse(text) as T & {
    security?: object[];
    paths: Record<string, Record<string, object>>;
  };
  for (const item of Object.values(whole.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      item[method] = { security: whole.security, ...operation };
    }
  }
  return whole;
}

interface ExtendingSchema {
  allOf?: { $ref: string }[];
  properties?: object;
  required?: string[];
}

function withBasesInPlace(components: DescribedResponses['components']): object {
  const { schemas = {}, ...others } = components as { schemas?: Record<string, ExtendingSchema> };
  const whole = ({ allOf = [], ...schema }: ExtendingSchema): ExtendingSchema => {
    const bases = allOf.map(({ $ref }) => whole(schemas[$ref.split('/').at(-1)!]!));
    const required = [...bases, schema].flatMap((one) => one.required ?? []);
    return {
      ...(Object.assign({}, ...bases, schema) as ExtendingSchema),
      ...(schema.properties || bases.length > 0
        ? {
            properties: Object.assign(
              {},
              ...[...bases, schema].map(({ properties }) => properties),
            ) as object,
          }
        : {}),
      ...(required.length > 0 && { required }),
    };
  };
  const entries = Object.entries(schemas).map(([name, schema]) => [name, whole(schema)] as const);
  return { ...others, schemas: Object.fromEntries(entries) };
}

const absolutes = new Map<string, object>();

/**
 * A schema of the document, for a validator of `createAjv`: of equal schemas the same object, which
 * a validator compiles once.
 */
export function absolute(schema: object): object {
  const text = JSON.stringify(schema);
  const known = absolutes.get(text);
  if (known) return known;
  const made = JSON.parse(text.replaceAll('"#/', '"https://document.test/#/')) as object;
  absolutes.set(text, made);
  return made;
}

function close(value: unknown): unknown {
  const isObjectSchema =
    typeof value === 'object' &&
    value !== null &&
    'properties' in value &&
    'type' in value &&
    value.type === 'object';
  return isObjectSchema && !('additionalProperties' in value)
    ? { ...value, additionalProperties: false }
    : value;
}

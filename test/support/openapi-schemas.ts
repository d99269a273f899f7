import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** Of the OpenAPI document, what the tests of answers read. */
export interface DescribedResponses {
  paths: object;
  components?: object;
}

/** Every object must have the described fields and no others, unless its schema invites more. */
export function createAjv(document: DescribedResponses): Ajv2020 {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const components = JSON.parse(JSON.stringify(document.components), (_key, value: unknown) => close(value)) as object;
  ajv.addSchema({ $id: 'https://document.test/', components });
  return ajv;
}

/** Puts each shared response, example and parameter where the document refers to it. */
export function withSharedInPlace<T extends DescribedResponses>(document: T): T {
  const components = document.components as Record<string, Record<string, object>>;
  const text = JSON.stringify(document, (_key, value: unknown) => {
    const { $ref } = Object(value) as { $ref?: string };
    const [, kind, name] = /^#\/components\/(responses|examples|parameters)\/(.+)$/.exec($ref ?? '') ?? [];
    return kind ? components[kind]![name!] : value;
  });
  return JSON.parse(text) as T;
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
    typeof value === 'object' && value !== null && 'properties' in value && 'type' in value && value.type === 'object';
  return isObjectSchema && !('additionalProperties' in value) ? { ...value, additionalProperties: false } : value;
}

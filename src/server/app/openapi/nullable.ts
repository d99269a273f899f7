import type { OpenAPIObject } from '@nestjs/swagger';
import { mediaOf, operationsOf } from './shared-components.ts';

/** Keywords that say the same of null. */
const SHARED = /^(description|example|format|x-.*)$/;
const SCHEMAS = '#/components/schemas/';

/**
 * Writes each value of a request that may be null as `anyOf`, null last. Tools that fill in a body, such as Postman's, choose
 * among the types of a list by chance, and of `anyOf` the first: a null that nobody has written would empty a field.
 */
export function separateNull({ paths, components }: OpenAPIObject): void {
  const seen = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    for (const value of Object.values(node)) visit(value);
    if ('$ref' in node) visit(components?.schemas?.[String(node.$ref).slice(SCHEMAS.length)]);
    if (
      'type' in node &&
      Array.isArray(node.type) &&
      node.type.length === 2 &&
      node.type[1] === 'null'
    ) {
      const own = Object.entries(node).filter(([keyword]) => !SHARED.test(keyword));
      const type: unknown = node.type[0];
      for (const [keyword] of own) Reflect.deleteProperty(node, keyword);
      Object.assign(node, { anyOf: [{ ...Object.fromEntries(own), type }, { type: 'null' }] });
    }
  };
  for (const operation of Object.values(paths).flatMap(operationsOf)) {
    for (const { schema } of mediaOf(operation.requestBody)) visit(schema);
  }
}

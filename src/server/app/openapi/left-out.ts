import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './shared-components.ts';

/** The fields of the metadata of RFC 8414 that lead to a path. */
const LEADING_FIELDS: [path: string, fields: RegExp][] = [
  ['/api/v1/revoke', /^revocation_/],
  ['/.well-known/jwks.json', /^jwks_/],
];

/** Removes from a document what belongs to operations that the application does not serve. */
export function leaveOut(document: OpenAPIObject): void {
  for (const [path, fields] of LEADING_FIELDS) {
    if (!(path in document.paths)) removeFromMetadata(document, fields);
  }
  removeTags(document);
  removeSchemas(document);
}

function removeFromMetadata({ components }: OpenAPIObject, fields: RegExp): void {
  const schema = components?.schemas?.['AuthorizationServerMetadata'];
  if (!schema || '$ref' in schema) return;
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => !fields.test(name));
  schema.properties = Object.fromEntries(own);
  schema.required = schema.required?.filter((name) => !fields.test(name));
}

/** Removes tags without an operation. */
function removeTags(document: OpenAPIObject): void {
  const operations = Object.values(document.paths).flatMap(operationsOf);
  const used = new Set(operations.flatMap(({ tags = [] }) => tags));
  document.tags = document.tags?.filter(({ name }) => used.has(name));
}

/** Removes schemas to which nothing refers, until there is none: one may have been the last to refer to others. */
function removeSchemas(document: OpenAPIObject): void {
  const components = document.components!;
  for (let count = Infinity; ;) {
    const schemas = Object.entries(components.schemas ?? {});
    if (schemas.length === count) return;
    count = schemas.length;
    const text = JSON.stringify(document);
    components.schemas = Object.fromEntries(
      schemas.filter(([name]) => text.includes(`"#/components/schemas/${name}"`)),
    );
  }
}

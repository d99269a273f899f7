import type { OpenAPIObject } from '@nestjs/swagger';
import type { FeatureDefinition } from '../../../platform/common/extension/feature.ts';
import { operationsOf } from './shared-components.ts';

/** Removes from a document what belongs to the features that the application does not serve. */
export function leaveOut(document: OpenAPIObject, features: readonly FeatureDefinition[]): void {
  if (!('/api/v1/revoke' in document.paths)) removeFromMetadata(document, /^revocation_/);
  removeCodes(
    document,
    features.flatMap(({ problems = {} }) => Object.values(problems)).map(({ spec }) => spec.code),
  );
  removeTags(document);
  removeSecuritySchemes(document);
  removeSchemas(document);
}

function removeFromMetadata({ components }: OpenAPIObject, fields: RegExp): void {
  const schema = components?.schemas?.['AuthorizationServerMetadata'];
  if (!schema || '$ref' in schema) return;
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => !fields.test(name));
  schema.properties = Object.fromEntries(own);
  schema.required = schema.required?.filter((name) => !fields.test(name));
}

/** Removes codes of errors from those that a problem can have. */
function removeCodes({ components }: OpenAPIObject, codes: readonly string[]): void {
  const schema = components?.schemas?.['Problem'];
  if (!schema || '$ref' in schema) return;
  const code = schema.properties!['code'] as { 'x-extensible-enum': string[] };
  code['x-extensible-enum'] = code['x-extensible-enum'].filter((one) => !codes.includes(one));
}

/** Removes tags without an operation. */
function removeTags(document: OpenAPIObject): void {
  const operations = Object.values(document.paths).flatMap(operationsOf);
  const used = new Set(operations.flatMap(({ tags = [] }) => tags));
  document.tags = document.tags?.filter(({ name }) => used.has(name));
}

/** Removes ways to authenticate that no operation has. */
function removeSecuritySchemes({ paths, security = [], components }: OpenAPIObject): void {
  const asked = Object.values(paths)
    .flatMap(operationsOf)
    .flatMap((one) => one.security ?? []);
  const used = new Set([...security, ...asked].flatMap(Object.keys));
  const schemes = Object.entries(components!.securitySchemes!).filter(([name]) => used.has(name));
  components!.securitySchemes = Object.fromEntries(schemes);
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

import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIObject } from '@nestjs/swagger';
import { extendedSchemas } from '../../../platform/common/api-docs.ts';

type Schema = Exclude<
  NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string],
  { $ref: string }
>;

/** Replaces the properties that a schema has from a `BaseSchema` by a reference to that. */
export function extendSchemas({ components }: OpenAPIObject): void {
  const schemas = (components?.schemas ?? {}) as Record<string, Schema>;
  const whole = { ...schemas };
  for (const [name, baseName] of extendedSchemas()) {
    // A feature that is not installed has no schemas.
    if (whole[name] && whole[baseName]) {
      schemas[name] = extend(whole[name], whole[baseName], baseName);
    }
  }
}

function extend(schema: Schema, base: Schema, baseName: string): Schema {
  const { type, properties = {}, required = [], ...others } = schema;
  const own = Object.entries(properties).filter(
    ([field, property]) => !isDeepStrictEqual(base.properties?.[field], property),
  );
  const needed = required.filter((field) => !base.required?.includes(field));
  const loosened = base.required?.find((field) => !required.includes(field));
  if (loosened !== undefined) {
    throw new Error(`${baseName} requires ${loosened}, which a schema that extends it does not`);
  }
  return {
    allOf: [{ $ref: `#/components/schemas/${baseName}` }],
    ...(own.length > 0 && { type, properties: Object.fromEntries(own) }),
    ...(needed.length > 0 && { required: needed }),
    ...others,
  };
}

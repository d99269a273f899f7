import { ViewerRefused } from '../forward-auth.errors.ts';
import type { GatewaySettings } from '../gateway/gateway-settings.ts';
import { ACTING_HEADER, DATA_SOURCE_HEADER, GROUP_HEADER, NUMBER_HEADER } from './header-names.ts';
import { type HeaderSource, headerValueOf } from './header-source.ts';
import type { IntrospectionResponse } from '../../../core/introspection/dto/introspection-response.dto.ts';

/** In characters. nginx has 4 KiB for all headers of a response, those of HTTP included. */
const MAX_VALUE = 1024;
const MAX_TOGETHER = 3072;
/** The characters of `: ` and of the end of a line. */
const AROUND = 4;

const ALWAYS: readonly (readonly [string, HeaderSource])[] = [
  [GROUP_HEADER, { of: 'sub' }],
  [NUMBER_HEADER, { of: 'team_id' }],
  [ACTING_HEADER, { of: 'act' }],
];

/**
 * Returns every header that the settings promise, none of them empty: a gateway that leaves one out would let the
 * viewer's own through.
 * @throws ViewerRefused if the viewer lacks a value, or has one that is too long
 */
export function identityHeaders(
  viewer: IntrospectionResponse,
  { headers, schema }: GatewaySettings,
): Record<string, string> {
  const wanted = [
    ...ALWAYS,
    ...(schema === undefined ? [] : [[DATA_SOURCE_HEADER, { of: 'data_source' }] as const]),
    ...headers.map(({ name, source }) => [name, source] as const),
  ];
  const found = wanted.map(([name, source]) => [name, valueFor(name, source, viewer)] as const);
  const length = found.reduce((sum, [name, value]) => sum + name.length + value.length + AROUND, 0);
  if (length > MAX_TOGETHER) {
    throw new ViewerRefused(`The headers are longer than ${MAX_TOGETHER} characters together.`);
  }
  return Object.fromEntries(found);
}

function valueFor(name: string, source: HeaderSource, viewer: IntrospectionResponse): string {
  const value = headerValueOf(source, viewer);
  if (value === undefined) {
    throw new ViewerRefused(
      source.of === 'data_source'
        ? 'The group has no data source for the schema.'
        : `The viewer has no value for ${name}, an empty one, or one of another type.`,
    );
  }
  if (value.length <= MAX_VALUE) return value;
  throw new ViewerRefused(`The value for ${name} is longer than ${MAX_VALUE} characters.`);
}

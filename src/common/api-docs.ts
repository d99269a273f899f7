import type { Type } from '@nestjs/common';
import type * as Swagger from '@nestjs/swagger';

type Decorators = Pick<
  typeof Swagger,
  | 'ApiBody'
  | 'ApiConsumes'
  | 'ApiCreatedResponse'
  | 'ApiExtension'
  | 'ApiExtraModels'
  | 'ApiHeader'
  | 'ApiOkResponse'
  | 'ApiOperation'
  | 'ApiParam'
  | 'ApiProperty'
  | 'ApiPropertyOptional'
  | 'ApiQuery'
  | 'ApiResponse'
  | 'ApiSecurity'
  | 'ApiTags'
>;

type AnyDecorator = (...target: unknown[]) => void;

const recorded: ((swagger: typeof Swagger) => void)[] = [];

/**
 * Makes a decorator of `@nestjs/swagger` that only records its use, for `describeRecorded` to
 * apply: serving never needs the library, and loading it takes a quarter of a start.
 */
function recordedAs<K extends keyof Decorators>(name: K): Decorators[K] {
  const factory =
    (...options: unknown[]): AnyDecorator =>
    (...target) => {
      recorded.push((swagger) => {
        (swagger[name] as (...options: unknown[]) => AnyDecorator)(...options)(...target);
      });
    };
  return factory as Decorators[K];
}

export const ApiBody = recordedAs('ApiBody');
export const ApiConsumes = recordedAs('ApiConsumes');
export const ApiCreatedResponse = recordedAs('ApiCreatedResponse');
export const ApiExtension = recordedAs('ApiExtension');
export const ApiExtraModels = recordedAs('ApiExtraModels');
export const ApiHeader = recordedAs('ApiHeader');
export const ApiOkResponse = recordedAs('ApiOkResponse');
export const ApiOperation = recordedAs('ApiOperation');
export const ApiParam = recordedAs('ApiParam');
export const ApiProperty = recordedAs('ApiProperty');
export const ApiPropertyOptional = recordedAs('ApiPropertyOptional');
export const ApiQuery = recordedAs('ApiQuery');
export const ApiResponse = recordedAs('ApiResponse');
export const ApiSecurity = recordedAs('ApiSecurity');
export const ApiTags = recordedAs('ApiTags');

/** The place of a class in the OpenAPI document, for a `$ref`. */
export function schemaPath(type: Type): string {
  return `#/components/schemas/${type.name}`;
}

/** Applies, in order and only once, the decorators that were recorded since the last call. */
export function describeRecorded(swagger: typeof Swagger): void {
  for (const describe of recorded.splice(0)) describe(swagger);
}

import type { Type } from '@nestjs/common';
import type * as Swagger from '@nestjs/swagger';

type Decorators = Pick<
  typeof Swagger,
  | 'ApiBody'
  | 'ApiConsumes'
  | 'ApiCreatedResponse'
  | 'ApiExcludeController'
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

/** As `ApiBody` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiBody = recordedAs('ApiBody');
/** As `ApiConsumes` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiConsumes = recordedAs('ApiConsumes');
/** As `ApiCreatedResponse` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiCreatedResponse = recordedAs('ApiCreatedResponse');
/** As `ApiExcludeController` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiExcludeController = recordedAs('ApiExcludeController');
/** As `ApiExtension` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiExtension = recordedAs('ApiExtension');
/** As `ApiExtraModels` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiExtraModels = recordedAs('ApiExtraModels');
/** As `ApiHeader` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiHeader = recordedAs('ApiHeader');
/** As `ApiOkResponse` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiOkResponse = recordedAs('ApiOkResponse');
/** As `ApiOperation` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiOperation = recordedAs('ApiOperation');
/** As `ApiParam` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiParam = recordedAs('ApiParam');
/** As `ApiProperty` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiProperty = recordedAs('ApiProperty');
/** As `ApiPropertyOptional` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiPropertyOptional = recordedAs('ApiPropertyOptional');
/** As `ApiQuery` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiQuery = recordedAs('ApiQuery');
/** As `ApiResponse` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiResponse = recordedAs('ApiResponse');
/** As `ApiSecurity` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiSecurity = recordedAs('ApiSecurity');
/** As `ApiTags` of `@nestjs/swagger`, applied once a document is asked for. */
export const ApiTags = recordedAs('ApiTags');

/** The place of a class in the OpenAPI document, for a `$ref`. */
export function schemaPath(type: Type): string {
  return `#/components/schemas/${type.name}`;
}

/** Applies, in order and only once, the decorators that were recorded since the last call. */
export function describeRecorded(swagger: typeof Swagger): void {
  for (const describe of recorded.splice(0)) describe(swagger);
}

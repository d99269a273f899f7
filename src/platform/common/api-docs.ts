import type { Type } from '@nestjs/common';
import type * as Swagger from '@nestjs/swagger';

type AnyDecorator = (...target: unknown[]) => void;

const recorded: ((swagger: typeof Swagger) => void)[] = [];
/** Classes whose schemas decorators have named, with others. */
const named = new Set<Type>();

/**
 * Makes a decorator of `@nestjs/swagger` that only records its use, for `describeRecorded` to apply: serving never
 * needs the library, and loading it takes a quarter of a start.
 */
function recordedAs<K extends keyof typeof Swagger>(name: K): (typeof Swagger)[K] {
  const factory = (...options: unknown[]): AnyDecorator => {
    for (const type of options.flatMap(classesIn)) named.add(type);
    return (...target) => {
      recorded.push((swagger) =>
        (swagger[name] as unknown as (...options: unknown[]) => AnyDecorator)(...options)(
          ...target,
        ),
      );
    };
  };
  return factory as unknown as (typeof Swagger)[K];
}

/** Returns the classes that an option of a decorator is, or has as its `type`. */
function classesIn(option: unknown): Type[] {
  const { type } = Object(option) as { type?: unknown };
  return [option, type].flat().filter((one) => typeof one === 'function') as Type[];
}

export const ApiAcceptedResponse = recordedAs('ApiAcceptedResponse');
export const ApiBody = recordedAs('ApiBody');
export const ApiConsumes = recordedAs('ApiConsumes');
/** `ApiCreatedResponse` of @nestjs/swagger, applied when the document is built. */
export const ApiCreatedResponse = recordedAs('ApiCreatedResponse');
export const ApiExcludeController = recordedAs('ApiExcludeController');
export const ApiExtension = recordedAs('ApiExtension');
export const ApiExtraModels = recordedAs('ApiExtraModels');
export const ApiHeader = recordedAs('ApiHeader');
/** `ApiOkResponse` of @nestjs/swagger, applied when the document is built. */
export const ApiOkResponse = recordedAs('ApiOkResponse');
const recordOperation = recordedAs('ApiOperation');
const operationIds = new WeakMap<object, string>();

/** `ApiOperation` of @nestjs/swagger, applied when the document is built. */
export const ApiOperation: typeof Swagger.ApiOperation = (options, ...others) => {
  const record = recordOperation(options, ...others);
  return (target, key, descriptor) => {
    const { operationId } = options;
    if (operationId !== undefined) operationIds.set(descriptor.value as object, operationId);
    record(target, key, descriptor);
  };
};

/**
 * Returns the id that a handler has in the OpenAPI document, also by `ApiOperation` of the library itself.
 * @param name such as `SeatController.find`
 */
export function operationIdOf(handler: object, name: string): string {
  const ofLibrary = Reflect.getMetadata('swagger/apiOperation', handler) as
    { operationId?: string } | undefined;
  return operationIds.get(handler) ?? ofLibrary?.operationId ?? name.replace('.', '_');
}

/** `ApiParam` of @nestjs/swagger, applied when the document is built. */
export const ApiParam = recordedAs('ApiParam');
/** `ApiProperty` of @nestjs/swagger, applied when the document is built. */
export const ApiProperty = recordedAs('ApiProperty');
/** `ApiPropertyOptional` of @nestjs/swagger, applied when the document is built. */
export const ApiPropertyOptional = recordedAs('ApiPropertyOptional');
/** `ApiQuery` of @nestjs/swagger, applied when the document is built. */
export const ApiQuery = recordedAs('ApiQuery');
export const ApiResponse = recordedAs('ApiResponse');
export const ApiSecurity = recordedAs('ApiSecurity');
/** `ApiTags` of @nestjs/swagger, applied when the document is built. */
export const ApiTags = recordedAs('ApiTags');

/** Takes any keyword of a schema, of which the type of the library names a few. */
export const ApiSchema = recordedAs('ApiSchema') as (keywords: object) => ClassDecorator;
const schemaNames = new WeakMap<object, string>();

/** Names the schema of a class in the OpenAPI document, where an entity or a type has that name in the code. */
export function SchemaName(name: string): ClassDecorator {
  return (type) => {
    schemaNames.set(type, name);
    ApiSchema({ name })(type);
  };
}

const bases = new Set<Type>();

/** Names the schema of a class as `SchemaName` does; the schemas of its subclasses refer to it for its properties. */
export function BaseSchema(name: string): ClassDecorator {
  return (type) => {
    SchemaName(name)(type);
    bases.add(type as unknown as Type);
  };
}

/** Returns the classes with a `BaseSchema`. */
export function baseSchemas(): Type[] {
  return [...bases];
}

/** Returns the schemas that extend another one, each with that one, by their names. */
export function extendedSchemas(): [name: string, base: string][] {
  return [...named].flatMap((type): [string, string][] => {
    let base = Object.getPrototypeOf(type) as Type | null;
    while (base && !bases.has(base)) base = Object.getPrototypeOf(base) as Type | null;
    return base ? [[schemaNameOf(type), schemaNameOf(base)]] : [];
  });
}

const schemaNameOf = (type: Type) => schemaNames.get(type) ?? type.name;

/** Returns the place of a class in the OpenAPI document, for a `$ref`. */
export function schemaPath(type: Type): string {
  return `#/components/schemas/${schemaNameOf(type)}`;
}

/** Applies the decorators that were recorded since the last call, in order. */
export function describeRecorded(swagger: typeof Swagger): void {
  for (const describe of recorded.splice(0)) describe(swagger);
}

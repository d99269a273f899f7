import { Controller, Delete, Get, Patch, Post, Res, type Type } from '@nestjs/common';
import type { Response } from 'express';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../../platform/common/access/access.decorator.ts';
import {
  entityTagOf,
  ETAG,
  NotModified,
  PRECONDITION_ERRORS,
  Preconditions,
  RequestPreconditions,
  setEntityTag,
} from '../../../platform/common/http/parameters/preconditions.ts';
import { PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import {
  IDEMPOTENCY_ERRORS,
  IdempotencyKeyHeader,
  NumberParam,
  QueryOf,
} from '../../../platform/common/http/parameters/request-params.ts';
import { DeletedResponse } from '../../../platform/common/http/responses/response.ts';
import { JsonBody } from '../../../platform/common/json/json-body.decorator.ts';
import {
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  Created,
  type DocumentedError,
  Ok,
  Operation,
} from '../../../platform/common/operation.ts';
import { AuditUnavailable } from '../../../core/audit/audit.errors.ts';
import { ProvidedIdTaken, StillReferenced, TooManySchemas } from './registry.errors.ts';
import {
  CreateRegistryEntryRequest,
  RegistryQueryDto,
  UpdateRegistryEntryRequest,
} from './dto/registered.dto.ts';
import {
  DataSourceResponse,
  DataSourcesResponse,
  ReferencesResponse,
  SchemaResponse,
  SchemasResponse,
} from './dto/registered-response.dto.ts';
import { dataSourceKind, type EntryKind, schemaKind } from './registered-kind.ts';
import { RegistryService } from './registry.service.ts';

/** The differences between the operations of the two kinds in the OpenAPI document. */
interface Described {
  path: string;
  /** Part of the ids of operations. */
  id: string;
  one: Type;
  page: Type;
  register: string;
  references: string;
  problems: DocumentedError[];
}

/** Makes the controller of one kind of registry entries. */
function controllerOf(kind: EntryKind, { path, id, ...described }: Described): Type {
  const { type, name, NotFound } = kind;
  const { one, page } = described;

  @ApiTags('Registry')
  @Controller(path)
  class RegisteredController {
    constructor(private readonly registry: RegistryService) {}

    @Get()
    @RequiresScope('registry:read')
    @Operation(
      `list${id}s`,
      `List ${name}s`,
      `The ${name}s of the workspace in the order of their registration, or the one with your own id \`provided_id\`.`,
    )
    @Ok(page, `One page of ${name}s.`)
    @ApiReadProblems()
    async list(
      @CurrentCaller() caller: Caller,
      @QueryOf(RegistryQueryDto) query: RegistryQueryDto,
    ): Promise<object> {
      const { rows, ...next } = await this.registry.list(caller, kind, query);
      return { success: 1, [`${type}s`]: rows, ...next };
    }

    @Post()
    @RequiresScope('registry:write')
    @Operation(`create${id}`, `Register a ${name}`, described.register)
    @Created(one, `The new ${name}.`, { Location: 'Path of what was created.' })
    @ApiProblems(ProvidedIdTaken, ...described.problems, AuditUnavailable, ...IDEMPOTENCY_ERRORS)
    async register(
      @CurrentCaller() caller: Caller,
      @JsonBody(CreateRegistryEntryRequest) dto: CreateRegistryEntryRequest,
      @IdempotencyKeyHeader() key: string | undefined,
      @Res({ passthrough: true }) response: Response,
    ): Promise<object> {
      const entry = await this.registry.register(caller, kind, dto, key);
      response.location(`/${path}/${entry.id}`);
      return { success: 1, [type]: entry };
    }

    @Get(':id')
    @RequiresScope('registry:read')
    @Operation(`get${id}`, `Read a ${name}`, `The ${name} with this internal number.`)
    @Ok(one, `The ${name}.`, ETAG)
    @NotModified()
    @ApiReadProblems(NotFound, ...PRECONDITION_ERRORS)
    async get(
      @CurrentCaller() caller: Caller,
      @NumberParam('id', NotFound) number: number,
      @RequestPreconditions() preconditions: Preconditions,
      @Res({ passthrough: true }) response: Response,
    ): Promise<object | undefined> {
      const entry = await this.registry.get(caller, kind, number);
      return preconditions.respond(response, entityTagOf(entry), { success: 1, [type]: entry });
    }

    @Patch(':id')
    @RequiresScope('registry:write')
    @Operation(
      `update${id}`,
      `Rename a ${name}`,
      'Changes its name. Its provided_id cannot be changed: stored mappings depend on it.',
    )
    @Ok(one, `The ${name} as it is now.`, ETAG)
    @ApiProblems(NotFound, AuditUnavailable, ...PRECONDITION_ERRORS)
    async rename(
      @CurrentCaller() caller: Caller,
      @NumberParam('id', NotFound) number: number,
      @JsonBody(UpdateRegistryEntryRequest) dto: UpdateRegistryEntryRequest,
      @RequestPreconditions() preconditions: Preconditions,
      @Res({ passthrough: true }) response: Response,
    ): Promise<object> {
      const entry = await this.registry.rename(caller, kind, number, dto, preconditions);
      setEntityTag(response, entityTagOf(entry));
      return { success: 1, [type]: entry };
    }

    @Delete(':id')
    @RequiresScope('registry:write')
    @Operation(`delete${id}`, `Delete a ${name}`, 'Refused while anything refers to it.')
    @Ok(DeletedResponse, 'Deleted.')
    @ApiReadProblems(NotFound, StillReferenced, AuditUnavailable, ...PRECONDITION_ERRORS)
    remove(
      @CurrentCaller() caller: Caller,
      @NumberParam('id', NotFound) number: number,
      @RequestPreconditions() preconditions: Preconditions,
    ): Promise<DeletedResponse> {
      return this.registry.remove(caller, kind, number, preconditions);
    }

    @Get(':id/references')
    @RequiresScope('registry:read')
    @Operation(`list${id}References`, `List what refers to a ${name}`, described.references)
    @Ok(ReferencesResponse, 'One page of user groups.')
    @ApiReadProblems(NotFound)
    listReferences(
      @CurrentCaller() caller: Caller,
      @NumberParam('id', NotFound) number: number,
      @QueryOf(PageQueryDto) query: PageQueryDto,
    ): Promise<ReferencesResponse> {
      return this.registry.listReferences(caller, kind, number, query);
    }
  }
  return RegisteredController;
}

export const SchemaController = controllerOf(schemaKind, {
  path: 'api/v1/schemas',
  id: 'Schema',
  one: SchemaResponse,
  page: SchemasResponse,
  register:
    'A schema is what dashboards are written against, and what a key of a `mapping` names. A workspace has at most 200.',
  references:
    'The user groups whose mappings refer to it, and whether the workspace requires it. Under the policy `open` mappings refer to nothing.',
  problems: [TooManySchemas],
});

export const DataSourceController = controllerOf(dataSourceKind, {
  path: 'api/v1/data-sources',
  id: 'DataSource',
  one: DataSourceResponse,
  page: DataSourcesResponse,
  register:
    'A data source is what is queried, and what a value of a `mapping` names: by your own id, or by its number.',
  references:
    'The user groups whose mappings refer to it. Under the policy `open` mappings refer to nothing.',
  problems: [],
});

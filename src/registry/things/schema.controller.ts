import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '../../common/api-docs.ts';
import { DeletedAnswer } from '../../common/http/deleted-answer.dto.ts';
import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { RequiresScope } from '../../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../../common/caller.ts';
import {
  AuditUnavailable,
  SchemaNotFound,
  ProvidedIdTaken,
  StillReferenced,
  TooManySchemas,
} from '../../common/errors.ts';
import { PageQueryDto } from '../../common/http/page.dto.ts';
import { NumberParam } from '../../common/http/path-param.ts';
import { QueryOf } from '../../common/http/query.decorator.ts';
import { JsonBody } from '../../common/json/json-body.decorator.ts';
import { ApiProblems, ApiReadProblems } from '../../common/problem.dto.ts';
import { RegisterDto, RegistryQueryDto, RenameDto } from './dto/registered.dto.ts';
import { SchemaAnswer, SchemasAnswer, ReferencesAnswer } from './dto/registered-answer.dto.ts';
import { schemaKind } from './registered-kind.ts';
import { RegistryService } from './registry.service.ts';

@ApiTags('Registry')
@Controller('api/v1/schemas')
export class SchemaController {
  constructor(private readonly registry: RegistryService) {}

  @Get()
  @RequiresScope('registry:read')
  @ApiOperation({
    operationId: 'listSchemas',
    summary: 'List schemas',
    description:
      'The schemas of the workspace in the order of their registration, or the one with your own id `provided_id`.',
  })
  @ApiOkResponse({ type: SchemasAnswer, description: 'One page of schemas.' })
  @ApiReadProblems()
  async list(
    @CurrentCaller() caller: Caller,
    @QueryOf(RegistryQueryDto) query: RegistryQueryDto,
  ): Promise<SchemasAnswer> {
    const { rows, nextCursor } = await this.registry.list(caller, schemaKind, query);
    return {
      success: 1,
      schemas: rows,
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    };
  }

  @Post()
  @RequiresScope('registry:write')
  @ApiOperation({
    operationId: 'registerSchema',
    summary: 'Register a schema',
    description:
      'A schema is what dashboards are written against, and what a key of a `mapping` names. A workspace has at most 200.',
  })
  @ApiCreatedResponse({
    type: SchemaAnswer,
    description: 'The new schema.',
    headers: { Location: { description: 'Path of the schema.', schema: { type: 'string' } } },
  })
  @ApiProblems(ProvidedIdTaken, TooManySchemas, AuditUnavailable)
  async register(
    @CurrentCaller() caller: Caller,
    @JsonBody(RegisterDto) dto: RegisterDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SchemaAnswer> {
    const schema = await this.registry.register(caller, schemaKind, dto);
    response.location(`/api/v1/schemas/${schema.id}`);
    return { success: 1, schema };
  }

  @Get(':id')
  @RequiresScope('registry:read')
  @ApiOperation({
    operationId: 'getSchema',
    summary: 'Read a schema',
    description: 'The schema with this number of ours.',
  })
  @ApiOkResponse({ type: SchemaAnswer, description: 'The schema.' })
  @ApiReadProblems(SchemaNotFound)
  async get(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', SchemaNotFound) id: number,
  ): Promise<SchemaAnswer> {
    return { success: 1, schema: await this.registry.get(caller, schemaKind, id) };
  }

  @Patch(':id')
  @RequiresScope('registry:write')
  @ApiOperation({
    operationId: 'renameSchema',
    summary: 'Rename a schema',
    description: 'Changes its name. Its provided_id cannot be changed: stored mappings hang on it.',
  })
  @ApiOkResponse({ type: SchemaAnswer, description: 'The schema as it is now.' })
  @ApiProblems(SchemaNotFound, AuditUnavailable)
  async rename(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', SchemaNotFound) id: number,
    @JsonBody(RenameDto) dto: RenameDto,
  ): Promise<SchemaAnswer> {
    return { success: 1, schema: await this.registry.rename(caller, schemaKind, id, dto) };
  }

  @Delete(':id')
  @RequiresScope('registry:write')
  @ApiOperation({
    operationId: 'deleteSchema',
    summary: 'Delete a schema',
    description: 'Refused while anything refers to it.',
  })
  @ApiOkResponse({ type: DeletedAnswer, description: 'It is gone.' })
  @ApiReadProblems(SchemaNotFound, StillReferenced, AuditUnavailable)
  remove(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', SchemaNotFound) id: number,
  ): Promise<DeletedAnswer> {
    return this.registry.remove(caller, schemaKind, id);
  }

  @Get(':id/references')
  @RequiresScope('registry:read')
  @ApiOperation({
    operationId: 'listSchemaReferences',
    summary: 'List what refers to a schema',
    description:
      'The user groups whose mappings refer to it, and whether the workspace requires it. Under the policy `open` mappings refer to nothing.',
  })
  @ApiOkResponse({ type: ReferencesAnswer, description: 'One page of user groups.' })
  @ApiReadProblems(SchemaNotFound)
  listReferences(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', SchemaNotFound) id: number,
    @QueryOf(PageQueryDto) query: PageQueryDto,
  ): Promise<ReferencesAnswer> {
    return this.registry.listReferences(caller, schemaKind, id, query);
  }
}

import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '../../common/api-docs.ts';
import { DeletedAnswer } from '../../common/http/deleted-answer.dto.ts';
import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { RequiresScope } from '../../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../../common/caller.ts';
import {
  AuditUnavailable,
  DataSourceNotFound,
  ProvidedIdTaken,
  StillReferenced,
} from '../../common/errors.ts';
import { PageQueryDto } from '../../common/http/page.dto.ts';
import { NumberParam } from '../../common/http/path-param.ts';
import { QueryOf } from '../../common/http/query.decorator.ts';
import { JsonBody } from '../../common/json/json-body.decorator.ts';
import { ApiProblems, ApiReadProblems } from '../../common/problem.dto.ts';
import { RegisterDto, RegistryQueryDto, RenameDto } from './dto/registered.dto.ts';
import {
  DataSourceAnswer,
  DataSourcesAnswer,
  ReferencesAnswer,
} from './dto/registered-answer.dto.ts';
import { dataSourceKind } from './registered-kind.ts';
import { RegistryService } from './registry.service.ts';

@ApiTags('Registry')
@Controller('api/v1/data-sources')
export class DataSourceController {
  constructor(private readonly registry: RegistryService) {}

  @Get()
  @RequiresScope('registry:read')
  @ApiOperation({
    operationId: 'listDataSources',
    summary: 'List data sources',
    description:
      'The data sources of the workspace in the order of their registration, or the one with your own id `provided_id`.',
  })
  @ApiOkResponse({ type: DataSourcesAnswer, description: 'One page of data sources.' })
  @ApiReadProblems()
  async list(
    @CurrentCaller() caller: Caller,
    @QueryOf(RegistryQueryDto) query: RegistryQueryDto,
  ): Promise<DataSourcesAnswer> {
    const { rows, nextCursor } = await this.registry.list(caller, dataSourceKind, query);
    return {
      success: 1,
      data_sources: rows,
      ...(nextCursor !== undefined && { next_cursor: nextCursor }),
    };
  }

  @Post()
  @RequiresScope('registry:write')
  @ApiOperation({
    operationId: 'registerDataSource',
    summary: 'Register a data source',
    description:
      'A data source is what is queried, and what a value of a `mapping` names: by your own id, or by our number.',
  })
  @ApiCreatedResponse({
    type: DataSourceAnswer,
    description: 'The new data source.',
    headers: { Location: { description: 'Path of the data source.', schema: { type: 'string' } } },
  })
  @ApiProblems(ProvidedIdTaken, AuditUnavailable)
  async register(
    @CurrentCaller() caller: Caller,
    @JsonBody(RegisterDto) dto: RegisterDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DataSourceAnswer> {
    const dataSource = await this.registry.register(caller, dataSourceKind, dto);
    response.location(`/api/v1/data-sources/${dataSource.id}`);
    return { success: 1, data_source: dataSource };
  }

  @Get(':id')
  @RequiresScope('registry:read')
  @ApiOperation({
    operationId: 'getDataSource',
    summary: 'Read a data source',
    description: 'The data source with this number of ours.',
  })
  @ApiOkResponse({ type: DataSourceAnswer, description: 'The data source.' })
  @ApiReadProblems(DataSourceNotFound)
  async get(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', DataSourceNotFound) id: number,
  ): Promise<DataSourceAnswer> {
    return { success: 1, data_source: await this.registry.get(caller, dataSourceKind, id) };
  }

  @Patch(':id')
  @RequiresScope('registry:write')
  @ApiOperation({
    operationId: 'renameDataSource',
    summary: 'Rename a data source',
    description: 'Changes its name. Its provided_id cannot be changed: stored mappings hang on it.',
  })
  @ApiOkResponse({ type: DataSourceAnswer, description: 'The data source as it is now.' })
  @ApiProblems(DataSourceNotFound, AuditUnavailable)
  async rename(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', DataSourceNotFound) id: number,
    @JsonBody(RenameDto) dto: RenameDto,
  ): Promise<DataSourceAnswer> {
    return { success: 1, data_source: await this.registry.rename(caller, dataSourceKind, id, dto) };
  }

  @Delete(':id')
  @RequiresScope('registry:write')
  @ApiOperation({
    operationId: 'deleteDataSource',
    summary: 'Delete a data source',
    description: 'Refused while anything refers to it.',
  })
  @ApiOkResponse({ type: DeletedAnswer, description: 'It is gone.' })
  @ApiReadProblems(DataSourceNotFound, StillReferenced, AuditUnavailable)
  remove(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', DataSourceNotFound) id: number,
  ): Promise<DeletedAnswer> {
    return this.registry.remove(caller, dataSourceKind, id);
  }

  @Get(':id/references')
  @RequiresScope('registry:read')
  @ApiOperation({
    operationId: 'listDataSourceReferences',
    summary: 'List what refers to a data source',
    description:
      'The user groups whose mappings refer to it. Under the policy `open` mappings refer to nothing.',
  })
  @ApiOkResponse({ type: ReferencesAnswer, description: 'One page of user groups.' })
  @ApiReadProblems(DataSourceNotFound)
  listReferences(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', DataSourceNotFound) id: number,
    @QueryOf(PageQueryDto) query: PageQueryDto,
  ): Promise<ReferencesAnswer> {
    return this.registry.listReferences(caller, dataSourceKind, id, query);
  }
}

import { Controller, Delete, Get, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AuditUnavailable } from '../../../core/audit/audit.errors.ts';
import { TargetNotFound, TargetSecretUnreadable } from '../target.errors.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../../platform/common/access/access.decorator.ts';
import { PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import {
  entityTagOf,
  ETAG,
  NotModified,
  PRECONDITION_ERRORS,
  Preconditions,
  RequestPreconditions,
} from '../../../platform/common/http/parameters/preconditions.ts';
import { pathParam, QueryOf } from '../../../platform/common/http/parameters/request-params.ts';
import { DeletedResponse } from '../../../platform/common/http/responses/response.ts';
import { JsonBody } from '../../../platform/common/json/json-body.decorator.ts';
import {
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  Created,
  Ok,
  Operation,
} from '../../../platform/common/operation.ts';
import { impossibleName, isTargetName } from '../definition/target-name.ts';
import { PutTargetRequest } from '../definition/put-target.dto.ts';
import { TargetResponse, TargetsResponse } from '../definition/target-response.dto.ts';
import { TargetSetupResponse } from '../setup/target-setup-response.dto.ts';
import { TooManyTargets } from '../target.errors.ts';
import { TargetService } from './target.service.ts';

const PATH = 'api/v1/targets';

@ApiTags('Targets')
@Controller(PATH)
export class TargetController {
  constructor(private readonly targets: TargetService) {}

  @Get()
  @RequiresScope('targets:read')
  @Operation(
    'listTargets',
    'List targets',
    'The tools that the workspace has declared, in the order of their names, without secrets.',
  )
  @Ok(TargetsResponse, 'One page of targets.')
  @ApiReadProblems()
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(PageQueryDto) query: PageQueryDto,
  ): Promise<TargetsResponse> {
    return this.targets.list(caller, query);
  }

  @Get(':name')
  @RequiresScope('targets:read')
  @Operation('getTarget', 'Read a target', 'The target of this name, without its secrets.')
  @Ok(TargetResponse, 'The target.', ETAG)
  @NotModified()
  @ApiReadProblems(TargetNotFound, ...PRECONDITION_ERRORS)
  async get(
    @CurrentCaller() caller: Caller,
    @NameParam(() => new TargetNotFound()) name: string,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TargetResponse | undefined> {
    const target = await this.targets.get(caller, name);
    return preconditions.respond(response, entityTagOf(target), { success: 1, target });
  }

  @Get(':name/setup')
  @RequiresScope('targets:read')
  @Operation(
    'getTargetSetup',
    'Read how the tool of a target is set up',
    'The settings to paste into the tool, with the audience, the issuer and the public keys of this target, and without its secrets.',
  )
  @Ok(TargetSetupResponse, 'The settings of the tool.')
  @ApiReadProblems(TargetNotFound)
  getSetup(
    @CurrentCaller() caller: Caller,
    @NameParam(() => new TargetNotFound()) name: string,
  ): Promise<TargetSetupResponse> {
    return this.targets.getSetup(caller, name);
  }

  @Put(':name')
  @RequiresScope('targets:write')
  @Operation(
    'putTarget',
    'Create or replace a target',
    'Declares a tool of the workspace and the claims of its tokens, which `target` of a call for an embed token then issues. Each kind refuses what would be unsafe in its tool. Secrets are write-only: a key without one keeps the stored one of its id. To replace a secret without an outage, PUT both with the old one first; teach the tool the new one; PUT the new one first; later leave the old one out. A workspace has at most 50 targets.',
  )
  @Ok(TargetResponse, 'The target existed, and is as the body says.')
  @Created(TargetResponse, 'The target was created.', { Location: 'Path of what was created.' })
  @ApiProblems(TooManyTargets, TargetSecretUnreadable, AuditUnavailable, ...PRECONDITION_ERRORS)
  async put(
    @CurrentCaller() caller: Caller,
    @NameParam(impossibleName) name: string,
    @JsonBody(PutTargetRequest) dto: PutTargetRequest,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TargetResponse> {
    const { created, body } = await this.targets.put(caller, name, dto, preconditions);
    if (created) response.status(201).location(`/${PATH}/${name}`);
    return body;
  }

  @Delete(':name')
  @RequiresScope('targets:write')
  @Operation(
    'deleteTarget',
    'Delete a target',
    'The target issues no more tokens. Those that it has issued are valid until they expire.',
  )
  @Ok(DeletedResponse, 'Deleted.')
  @ApiReadProblems(TargetNotFound, AuditUnavailable, ...PRECONDITION_ERRORS)
  remove(
    @CurrentCaller() caller: Caller,
    @NameParam(() => new TargetNotFound()) name: string,
    @RequestPreconditions() preconditions: Preconditions,
  ): Promise<DeletedResponse> {
    return this.targets.remove(caller, name, preconditions);
  }
}

/** Parameter decorator: the `:name` of a target. @param toError makes the error of a name that no target can have */
function NameParam(toError: () => Error): ParameterDecorator {
  return pathParam('name', {
    description: 'Its name: 1–64 of a-z, 0-9 and `-`.',
    schema: { type: 'string', minLength: 1, maxLength: 64 },
    example: 'bi',
    read: (text) => {
      if (!isTargetName(text)) throw toError();
      return text;
    },
  });
}

import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '../common/api-docs.ts';
import { RequiresScope } from '../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../common/caller.ts';
import { ApiReadProblems } from '../common/problem.dto.ts';
import { SystemAnswer } from './dto/system-answer.dto.ts';
import { SystemService } from './system.service.ts';

@ApiTags('System')
@Controller('api/v1/system')
export class SystemController {
  constructor(private readonly system: SystemService) {}

  @Get()
  @RequiresScope('admin')
  @ApiOperation({
    operationId: 'getSystem',
    summary: 'Describe the installation',
    description:
      'The version that answers, its database, the ids of its encryption keys and its settings, for administrators of every workspace: no secrets, no addresses, and nothing of other workspaces. What is configured is that of the process that answers; other replicas may differ while they are restarted.',
  })
  @ApiOkResponse({ type: SystemAnswer, description: 'The installation.' })
  @ApiReadProblems()
  get(@CurrentCaller() { workspaceId }: Caller): Promise<SystemAnswer> {
    return this.system.get(workspaceId);
  }
}

import { Controller, Get } from '@nestjs/common';
import { ApiReadProblems, ApiTags, Ok, Operation } from '../../platform/common/operation.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { SystemResponse } from './dto/system-response.dto.ts';
import { SystemService } from './system.service.ts';

@ApiTags('System')
@Controller('api/v1/system')
export class SystemController {
  constructor(private readonly system: SystemService) {}

  @Get()
  @RequiresScope('admin')
  @Operation(
    'getSystem',
    'Describe the installation',
    'The version of the service, its database, the ids of its encryption keys and its settings, for administrators of every workspace: no secrets, no addresses, and nothing of other workspaces. The configuration is that of the process that handles the request.',
  )
  @Ok(SystemResponse, 'The installation.')
  @ApiReadProblems()
  get(@CurrentCaller() { workspaceId }: Caller): Promise<SystemResponse> {
    return this.system.get(workspaceId);
  }
}

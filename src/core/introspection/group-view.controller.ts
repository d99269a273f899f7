import { Controller, Get } from '@nestjs/common';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { ProvidedIdParam } from '../user-group/group/provided-id.ts';
import { ApiReadProblems, ApiTags, Ok, Operation } from '../../platform/common/operation.ts';
import { ID_ERRORS } from '../user-group/group/documented-errors.ts';
import { UserGroupViewResponse } from './dto/group-view.dto.ts';
import { GroupViewService } from './group-view.service.ts';

@ApiTags('Introspection')
@Controller('api/v1/user-groups/:id/view')
export class GroupViewController {
  constructor(private readonly views: GroupViewService) {}

  @Get()
  @RequiresScope('user-groups:read', { inRange: true })
  @Operation(
    'viewUserGroup',
    'See what a renderer gets for a user group',
    'The introspection of its current token as it is now, without the token: the mapping with the names of the registry, the variables with their types, and what is missing. Does not count as an introspection.',
  )
  @Ok(UserGroupViewResponse, 'The view of a renderer.')
  @ApiReadProblems(...ID_ERRORS)
  get(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
  ): Promise<UserGroupViewResponse> {
    return this.views.get(caller, id);
  }
}

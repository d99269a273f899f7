import { CreateWorkspaces1795000000001 } from './1795000000001-create-workspaces';
import { CreateUserGroups1795000000002 } from './1795000000002-create-user-groups';

/** Every migration in the order in which they run; the list only ever grows at its end. */
export const migrations = [CreateWorkspaces1795000000001, CreateUserGroups1795000000002];

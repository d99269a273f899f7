export type {
  CubeConfiguration,
  CubeContext,
  CubeDriver,
  CubeErrorClass,
  CubeFilter,
  CubeMemberFilter,
  CubeQuery,
  CubeRequest,
  WantedFilter,
} from './cube-types.js';
export type { UserGroupsOptions } from './options.js';
export { userGroups } from './user-groups.js';

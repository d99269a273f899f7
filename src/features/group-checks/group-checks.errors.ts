import { problem } from '../../platform/common/problem/problem.ts';

export class MappingsUnresolvable extends problem(409, 'mappings_unresolvable', {
  about:
    'Mappings of user groups name what is not registered; nothing was changed. `errors` has up to 20 of them.',
  errors: [
    {
      pointer: '/user_groups/acme-emea/mapping/sales',
      code: 'unknown_schema',
      detail: 'No schema of the workspace has this id.',
    },
  ],
}) {}

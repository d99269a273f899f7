import { problem } from '../../platform/common/problem/problem.ts';

export class PublicUrlUnset extends problem(404, 'public_url_unset', {
  about: 'The metadata is published only after the operator has set PUBLIC_URL.',
}) {}

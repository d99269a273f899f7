import { curl, writeUserGroup } from '../../curl.ts';
import { Curl } from '../../ui/copy.tsx';

/** The command of the example renderer for this service. */
export const exampleRenderer = () =>
  `SERVICE_URL=${new URL('..', location.href).href.replace(/\/$/, '')} \\
  API_TOKEN="$RENDERER_TOKEN" npm run example:renderer`;

export const FirstCall = () => (
  <Curl text={writeUserGroup.replaceAll('TOKEN', 'BACKEND_TOKEN')} label="First call" />
);

export const introspection = () =>
  curl('v1/introspect', '{"token": "ugt_…"}').replace('TOKEN', 'RENDERER_TOKEN');

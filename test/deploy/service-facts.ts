import packageJson from '../../package.json' with { type: 'json' };
import { Config } from '../../src/platform/config/config.ts';
import { variables } from '../support/code/variables.ts';
import { describeOpenApi } from '../../src/server/app/openapi/openapi.ts';

/** The facts about the service that deployment files repeat, read from its code. */
export const { version } = packageJson;
export const { port, metricsPort } = new Config();

/** The names of all variables, of files too. */
export const variableNames = variables.flatMap(({ name, hasFile }) =>
  hasFile ? [name, `${name}_FILE`] : [name],
);

/** The paths that can be asked with GET and need no API token. */
export async function publicPaths(): Promise<string[]> {
  const { paths } = await describeOpenApi();
  return Object.entries(paths)
    .filter(([, item]) => item.get?.security?.length === 0)
    .map(([path]) => path);
}

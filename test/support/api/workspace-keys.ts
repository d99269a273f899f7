import type { ApiClient } from './api-client.ts';

/** The public id of the client's workspace. */
export async function workspaceIdOf(api: ApiClient): Promise<string> {
  const { body } = await api.call('GET', '/api/v1/workspace/identity');
  return (body as unknown as { workspace: { id: string } }).workspace.id;
}

/** The path of the public keys of a workspace. */
export const keySetPath = (workspaceId: string) =>
  `/workspaces/${workspaceId}/.well-known/jwks.json`;

/** The id of a workspace that does not exist. */
export const NO_WORKSPACE = `ws_${'0'.repeat(32)}`;

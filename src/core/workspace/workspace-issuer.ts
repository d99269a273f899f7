import type { Config } from '../../platform/config/config.ts';
import type { Workspace } from './workspace.entity.ts';

/**
 * Returns the issuer (`iss`) of the embed tokens of a workspace: its own one, or else the URL below which its keys are,
 * or a URN (RFC 8141) where the service does not know its URL.
 */
export function issuerOf(
  { publicUrl }: Config,
  { publicId, embedTokenIssuer }: Pick<Workspace, 'publicId' | 'embedTokenIssuer'>,
): string {
  return embedTokenIssuer ?? workspaceUrl(publicUrl, publicId);
}

/** Returns the issuer that a workspace has by default. @param workspaceId its public id */
export function workspaceUrl(publicUrl: string | undefined, workspaceId: string): string {
  return publicUrl === undefined
    ? `urn:user-group-service:workspaces:${workspaceId}`
    : `${publicUrl}/workspaces/${workspaceId}`;
}

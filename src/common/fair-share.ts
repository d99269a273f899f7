/** Bounds what one workspace has to a third of what is still free, so that no few workspaces have all of it. */
export function fairShare(total: number, taken: number): number {
  return Math.ceil((total - taken) / 3);
}

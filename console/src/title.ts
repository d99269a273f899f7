/** Names the tab of the browser by what the page shows. */
export function setTitle(name = ''): void {
  document.title = `${name && `${name} · `}User group service`;
}

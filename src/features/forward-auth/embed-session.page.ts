import { createHash } from 'node:crypto';

/**
 * The script of the page: asks the page around it for the token, has it made a cookie, and shows what its address names
 * after `#` in a frame of its own. It speaks the messages of `keepTokenFresh`, and repeats nothing of a token.
 */
const SCRIPT = `
const origin = document.documentElement.dataset.origin;
const shown = document.querySelector('iframe');
const ask = (refused) => parent.postMessage({ type: 'token-wanted', ...(refused && { refused }) }, origin);
const show = () => {
  const target = new URL(location.hash.slice(1) || '/', location.origin);
  if (target.origin === location.origin && target.pathname !== location.pathname) shown.src = target.href;
};
addEventListener('message', async ({ source, origin: sender, data }) => {
  if (source !== parent || sender !== origin || data?.type !== 'token') return;
  const token = data.userGroupToken;
  const { status } = await fetch(location.pathname, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  if (status === 204 && token !== null && !shown.src) show();
  if (status === 204 && token === null) shown.removeAttribute('src');
  if (status === 401 || status === 403) ask(token);
});
ask();
`;

const STYLE = 'html,body,iframe{margin:0;width:100%;height:100%;border:0;display:block}';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page and its policy: only pages of the origin may frame it. @param origin a web origin as browsers write it */
export function embedSessionPage(origin: string): { html: string; policy: string } {
  const html = `<!doctype html>
<html lang="en" data-origin="${origin}"><meta charset="utf-8"><title>Dashboard</title><style>${STYLE}</style>
<iframe title="Dashboard"></iframe><script>${SCRIPT}</script></html>
`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(SCRIPT)}`,
    `style-src ${hashOf(STYLE)}`,
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${origin}`,
  ];
  return { html, policy: policy.join('; ') };
}

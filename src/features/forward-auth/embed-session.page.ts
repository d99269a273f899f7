import { createHash } from 'node:crypto';

/**
 * The script of the page: asks the page around it for the token, has it made a cookie, and shows what its address names
 * after `#` in a frame of its own. It speaks the messages of `keepTokenFresh`, and repeats nothing of a token.
 *
 * Tokens are taken one after the other, so that the cookie has the last. A page in the inner frame may be the refusal of
 * a token that has ended, so each one that is loaded has the token checked again.
 */
const SCRIPT = `
const origin = document.documentElement.dataset.origin;
const shown = document.querySelector('iframe');
const words = document.querySelector('p');
let current = null;
let isRefused = false;
let isOpening = false;
let turn = Promise.resolve();
const ask = (refused) => parent.postMessage({ type: 'token-wanted', ...(refused && { refused }) }, origin);
const say = (text) => {
  words.textContent = text;
  shown.hidden = text !== '';
};
const open = () => {
  const target = new URL(location.hash.slice(1) || '/', location.origin);
  if (target.origin !== location.origin || target.pathname === location.pathname) return;
  isOpening = true;
  shown.src = target.href;
};
// A refusal that the browser draws itself is of no origin.
const reload = () => {
  try {
    shown.contentWindow.location.reload();
  } catch {
    open();
  }
};
const send = (token) =>
  fetch(location.pathname, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  }).then(({ status }) => status, () => 0);
const refuse = () => {
  isRefused = true;
  say('You cannot see this dashboard now.');
};
const take = async (token) => {
  const status = await send(token);
  if (token === null) {
    refuse();
    current = null;
    shown.src = 'about:blank';
    if (status !== 204) setTimeout(() => current === null && next(null), 5000);
  } else if (status === 204) {
    const wasShown = current !== null;
    current = token;
    if (!wasShown) open();
    else if (isRefused) reload();
    isRefused = false;
    say('');
  } else if (status >= 400 && status < 500) {
    refuse();
    ask(token);
  } else {
    if (current === null) say('No connection. It is tried again.');
    setTimeout(ask, 5000);
  }
};
const inTurn = (work) => (turn = turn.then(work).catch(refuse));
const next = (token) => inTurn(() => take(token));
addEventListener('message', ({ source, origin: sender, data }) => {
  if (source === parent && sender === origin && data?.type === 'token') next(data.userGroupToken);
});
shown.addEventListener('load', () => {
  // In its turn, the token may be another.
  if (!isOpening) inTurn(() => current !== null && take(current));
  isOpening = false;
});
ask();
`;

const STYLE =
  'html,body,iframe{margin:0;width:100%;height:100%;border:0;display:block}iframe[hidden],p:empty{display:none}p{margin:1em;font:1rem sans-serif}';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page and its policy: only pages of the origin may frame it. @param origin a web origin as browsers write it */
export function embedSessionPage(origin: string): { html: string; policy: string } {
  const html = `<!doctype html>
<html lang="en" data-origin="${origin}"><meta charset="utf-8"><title>Dashboard</title><style>${STYLE}</style>
<p role="status"></p><iframe title="Dashboard"></iframe><script>${SCRIPT}</script></html>
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

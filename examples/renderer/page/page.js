import { drawBars } from './bars.js';
import { askHost, isEmbedded, tellHost } from './host.js';

const REFRESH_MS = 500;
/** A token may be accepted again: its group is resumed, or what it lacks is added. */
const REFUSED_MS = 2000;
const YEAR = 2026;

/**
 * The token of a page that was opened by a link. An address can end up in the history, in a referrer, in a proxy's log: the
 * token is taken out first, is sent in bodies only, and is kept nowhere but in this variable.
 */
let userGroupToken = takeToken();
/** In a frame the page around this one is asked for a token at each query: it renews the token before it expires. */
const asksHost = isEmbedded && userGroupToken === '';

function takeToken() {
  const parameters = new URLSearchParams(location.search);
  history.replaceState(null, '', location.pathname);
  return parameters.get('userGroupToken') ?? parameters.get('USER_GROUP_TOKEN') ?? '';
}

const main = document.querySelector('main');
const form = document.querySelector('#period');
const text = (id, content) => (document.getElementById(id).textContent = content);

/** The number of the last request; a response that a later request has overtaken is dropped. */
let lastRequest = 0;
let shown;

async function refresh() {
  const request = ++lastRequest;
  let { status, answer } = await query();
  if (isRefused(status) && asksHost) ({ status, answer } = await query(userGroupToken));
  if (request !== lastRequest) return;
  if (isRefused(status) && asksHost) {
    if (userGroupToken) tellHost(userGroupToken);
    userGroupToken = undefined;
  } else if (isRefused(status)) {
    answer.message += ' Trying again…';
  }
  const content = JSON.stringify(answer);
  if (content !== shown) show(status, answer);
  shown = content;
}

async function query(refused) {
  if (asksHost) userGroupToken = await askHost(refused);
  const { from, to } = Object.fromEntries(new FormData(form));
  try {
    const response = await fetch('/query', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ userGroupToken, from, to }),
    });
    return { status: response.status, answer: await response.json() };
  } catch {
    return {
      status: 503,
      answer: { message: 'The dashboard does not answer.' },
    };
  }
}

const STATES = { 200: 'shown', 400: 'refused', 401: 'refused', 403: 'refused', 503: 'away' };

/** No token, one that is not accepted, or one that is for something else. */
function isRefused(status) {
  return STATES[status] === 'refused';
}

/** Replaces everything: nothing stays on the page when the viewer may no longer see it. */
function show(
  status,
  { viewer = '', acting, data_source, variables = {}, rows = [], message = '' },
) {
  main.dataset.state = STATES[status] ?? 'failed';
  if (status === 503) message += ' It is tried again.';
  // Always shown: a viewer must not take the view of another for their own.
  text('acting', acting === undefined ? '' : `Viewed by ${acting} as ${viewer}`);
  text('viewer', viewer && acting === undefined ? `${viewer} is viewing` : '');
  text('message', message || (rows.length === 0 ? 'No sales in these months.' : ''));
  const known = data_source ? { 'data source': data_source, ...variables } : {};
  document.getElementById('variables').replaceChildren(...Object.entries(known).map(toChip));
  drawBars(document.getElementById('chart'), rows);
}

function toChip([name, value]) {
  const chip = document.createElement('span');
  const label = document.createElement('b');
  label.textContent = name;
  chip.append(label, ` ${value}`);
  return chip;
}

function fillMonths() {
  const name = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });
  for (const select of form.querySelectorAll('select')) {
    for (let month = 0; month < 12; month++) {
      const label = name.format(Date.UTC(YEAR, month));
      select.append(new Option(label, `${YEAR}-${String(month + 1).padStart(2, '0')}`));
    }
  }
  form.elements.to.selectedIndex = 11;
}

fillMonths();
form.addEventListener('change', refresh);
// Frequent only so that you can watch the effect of a change; a dashboard queries when its viewer does.
while (userGroupToken !== undefined) {
  await refresh();
  const pauseMs = main.dataset.state === 'refused' ? REFUSED_MS : REFRESH_MS;
  await new Promise((settle) => setTimeout(settle, pauseMs));
}

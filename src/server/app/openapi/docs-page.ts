import type { FeaturePage } from '../features.ts';

/** The page at `/docs`; every address in it is relative, so that it works below any path of a proxy. */
export const docsPage = (pages: readonly FeaturePage[]): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API · User group service</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png" sizes="32x32">
<link rel="icon" type="image/png" href="docs/favicon-16x16.png" sizes="16x16">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
<script src="docs/swagger-ui-bundle.js" defer></script>
<script src="docs/swagger-ui-init.js" defer></script>
</head>
<body>
${pages.map(({ title, path }) => `<header class="way-back"><a href="${path.slice(1)}/">${title}</a></header>\n`).join('')}<div id="swagger-ui"></div>
</body>
</html>
`;

/** Readable in both schemes: the colours of Swagger UI are too pale for small text. */
export const docsStyle = `body { margin: 0; background: #fafafa }
html.dark-mode body { background: #1c2022 }
.way-back { max-width: 1460px; margin: auto; padding: 12px 20px 0; font: 14px system-ui, sans-serif }
.way-back a { color: #2f5fe0 }
html.dark-mode .way-back a { color: #86a8ff }
.swagger-ui .markdown p, .swagger-ui .renderedMarkdown p { max-width: 84ch; margin-left: 0 }
.swagger-ui .info .title small { background: #5a6372 }
.swagger-ui .info .title small.version-stamp { background: #3d6b00 }
.swagger-ui :is(.opblock.opblock-get .opblock-summary-method, .btn.execute) { background: #1f5fb8 }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #14693c }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a5300 }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0f6b5c }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e }
.swagger-ui .download-contents { background: #434b55 }
.swagger-ui span[style*="211, 99, 99"] { color: #ff9a92 !important }
html:not(.dark-mode) .swagger-ui :is(.info a, .info .link .url, .model-toggle) { color: #1f5fb8 }
html:not(.dark-mode) .swagger-ui :is(.markdown code, .renderedMarkdown code) { color: #7a1fa2 }
html:not(.dark-mode) .swagger-ui :is(.btn.authorize, .btn.modal-btn.authorize) { border-color: #14693c; color: #14693c }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #14693c }
html:not(.dark-mode) .swagger-ui .btn.cancel { border-color: #b3261e; color: #b3261e }
html.dark-mode .swagger-ui .btn.cancel { border-color: #ff9a92; color: #ff9a92 }
html.dark-mode .swagger-ui :is(td, label, .examples-select__section-label) { color: #e4e6e6 }
html.dark-mode .swagger-ui .opblock.opblock-put .opblock-section-header { background: #3a2a1a }
`;

/**
 * Names what Swagger UI leaves without a name, gives headings their levels, and opens the dialog of credentials at its
 * beginning. It runs in the browser after each change of the page.
 */
const AMEND = `
const NAMES = { '#servers': 'Server', '.examples-select-element': 'Example', '.body-param__text': 'Body', '.close-modal': 'Close' };
const REGIONS = { '.information-container': 'About', '.schemes-server-container': 'Server', '.filter-container': 'Filter' };
const LEVELS = { '.opblock-tag, .modal-ux h3': 2, '.modal-ux h4': 3, '.opblock h4, .models h4': 3, '.opblock h5': 4 };
let wasOpen = false;
function amend() {
  for (const [selector, name] of Object.entries(NAMES)) {
    for (const one of document.querySelectorAll(selector + ':not([aria-label])')) one.setAttribute('aria-label', name);
  }
  for (const [selector, level] of Object.entries(LEVELS)) {
    for (const one of document.querySelectorAll(selector)) if (!one.ariaLevel) one.ariaLevel = level;
  }
  for (const [selector, name] of Object.entries(REGIONS)) {
    const region = document.querySelector(selector);
    region?.setAttribute('role', 'region');
    region?.setAttribute('aria-label', name);
  }
  const dialog = document.querySelector('.modal-ux');
  for (const one of document.querySelectorAll('.modal-btn[aria-label]')) one.removeAttribute('aria-label');
  if (dialog && !wasOpen) {
    dialog.setAttribute('role', 'dialog');
    dialog.setAttribute('aria-label', 'Authorize');
    dialog.querySelector('.auth-container input')?.focus();
    dialog.querySelector('.modal-ux-content').scrollTop = 0;
  }
  wasOpen = dialog !== null;
}
new MutationObserver(amend).observe(document.getElementById('swagger-ui'), { childList: true, subtree: true });
const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();
`;

/** Links inside a button are not accessible, so paths are plain text. The URL follows the open operation. */
const PLUGIN = `{ wrapComponents: { DeepLink: (_original, { React }) => ({ text }) => React.createElement('span', null, text) } }`;

/** @param adaptRequest runs in the browser, so it may use nothing around it */
export function docsScript(adaptRequest: (request: never) => unknown): string {
  return `${AMEND}
SwaggerUIBundle({
  url: 'docs-json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  plugins: [() => (${PLUGIN})],
  requestInterceptor: ${adaptRequest.toString()},
});
`;
}

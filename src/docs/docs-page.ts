interface UiRequest {
  /** Missing where the page asks for the document itself. */
  method?: string;
  body?: unknown;
  headers: Partial<Record<string, string>>;
}

/** The page at `/docs`; every address in it is relative, so that it works below any path of a proxy. */
export const docsPage = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>User group service</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png" sizes="32x32">
<link rel="icon" type="image/png" href="docs/favicon-16x16.png" sizes="16x16">
<link rel="stylesheet" href="docs/swagger-ui.css">
<style>body { margin: 0; background: #fafafa }</style>
<script src="docs/swagger-ui-bundle.js" defer></script>
<script src="docs/swagger-ui-init.js" defer></script>
</head>
<body>
<div id="swagger-ui"></div>
</body>
</html>
`;

/** Shows the OpenAPI document in the page. */
export const pageScript = `SwaggerUIBundle({
  url: 'docs-json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  requestInterceptor: ${adaptRequest.toString()},
});
`;

/**
 * Adapts requests in the browser, which refuses to send a GET with a body; adds the scheme to a
 * token that was pasted without it.
 */
function adaptRequest(request: UiRequest): UiRequest {
  const { Authorization } = request.headers;
  if (Authorization?.startsWith('uga_'))
    request.headers['Authorization'] = `Token ${Authorization}`;
  if (request.method?.toUpperCase() === 'GET' && request.body !== undefined) {
    request.method = 'POST';
    request.headers['X-HTTP-Method-Override'] = 'GET';
  }
  return request;
}

async function introspect(r) {
  const bearer = /^Bearer +(\S+)$/i.exec(r.headersIn.Authorization || '');
  if (!bearer) {
    r.return(401);
    return;
  }
  const body = 'token=' + encodeURIComponent(bearer[1]);
  const response = await r.subrequest('/_ask_user_groups', { method: 'POST', body });
  if (response.status !== 200) {
    const retryAfter = response.headersOut['Retry-After'];
    if (retryAfter) r.headersOut['Retry-After'] = retryAfter;
    r.return(response.status === 429 || response.status === 503 ? 503 : 502);
    return;
  }
  const viewer = JSON.parse(response.responseText);
  if (viewer.active) r.headersOut['User-Group'] = encodeURIComponent(viewer.sub);
  r.return(viewer.active ? 204 : 401);
}

export default { introspect };

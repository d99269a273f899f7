// A certified OpenID Connect provider on a port of this machine. It signs in at once the account that `login_hint`,
// the cookie `account` or the environment names. It is a process of its own, because it is no CommonJS.
import { createServer } from 'node:http';
import process from 'node:process';
import { Provider } from 'oidc-provider';

const { CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, ACCOUNTS } = process.env;
const accounts = JSON.parse(ACCOUNTS);

const server = createServer().listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        redirect_uris: [REDIRECT_URI],
        ...(CLIENT_SECRET
          ? { client_secret: CLIENT_SECRET }
          : { token_endpoint_auth_method: 'none' }),
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups'],
    findAccount: (_context, accountId) => ({
      accountId,
      claims: (use) => ({ sub: accountId, ...claimsOf(accounts[accountId], use) }),
    }),
    // The ID token has what an account says of itself there.
    conformIdTokenClaims: false,
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['the key of a test'] },
  });
  const serve = provider.callback();
  server.on('request', (request, response) => {
    if (request.url.startsWith('/interaction/')) void interact(provider, request, response);
    else serve(request, response);
  });
  process.stdout.write(`${issuer}\n`);
});

/** The claims of an account. The ID token alone has the claims under `id_token`. */
function claimsOf({ id_token: own, ...rest } = {}, use) {
  return use === 'id_token' ? own : rest;
}

/** Acts for a person: signs in, and consents to everything. */
async function interact(provider, request, response) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  const [, sitting] = /\baccount=(\w+)/.exec(request.headers.cookie) ?? [];
  const accountId = params.login_hint ?? sitting ?? Object.keys(accounts)[0];
  if (accountId === 'nobody') {
    const refused = { error: 'access_denied', error_description: 'They went away.' };
    await provider.interactionFinished(request, response, refused);
  } else if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId } });
  } else {
    const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope('openid email groups');
    grant.addOIDCClaims(['email', 'email_verified', 'groups']);
    const consent = { grantId: await grant.save() };
    await provider.interactionFinished(
      request,
      response,
      { consent },
      { mergeWithLastSubmission: true },
    );
  }
}

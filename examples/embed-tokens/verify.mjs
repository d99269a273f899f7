import { createRemoteJWKSet, jwtVerify } from 'jose';

const { GROUPS_URL, ISSUER, AUDIENCE, WORKSPACE_ID } = process.env;
const path = `/workspaces/${WORKSPACE_ID}/.well-known/jwks.json`;
const keys = createRemoteJWKSet(new URL(path, GROUPS_URL));

/** Returns the claims of a token for this renderer; throws for any other text. */
export async function verifyEmbedToken(token) {
  const { payload } = await jwtVerify(token, keys, {
    algorithms: ['ES256'],
    issuer: ISSUER,
    audience: AUDIENCE,
    typ: 'JWT',
  });
  return payload;
}

import { randomBytes } from 'node:crypto';
import {
  type Claims,
  claimsOf,
  ForgingKey,
  headerOf,
  hmac,
  signedWithPublicKey,
  unsigned,
  withClaims,
  withoutItsSignature,
} from '../forge.ts';
import { type Check, Failed, type Kit, Skipped } from '../kit.ts';
import { type Group, ServiceError } from '../service.ts';
import { expires, forAWhile } from './lives.ts';

/** A check that shows the rows with an embed token first, and then refuses what `forge` makes of it. */
function forged(
  id: string,
  title: string,
  means: string,
  forge: (
    kit: Kit,
    token: string,
    claims: Claims,
    group: Group,
  ) => Promise<Record<string, string>> | Record<string, string>,
): Check {
  return {
    id,
    title,
    means,
    run: async (kit) => {
      const group = await kit.group(0);
      const token = await kit.embedToken(group);
      await kit.control(token, 0, 'a valid embed token', kit.embed.template);
      for (const [what, other] of Object.entries(await forge(kit, token, claimsOf(token), group))) {
        kit.trace.made(other, what);
        await kit.refuses(other, what, kit.embed.template);
      }
    },
  };
}

/**
 * Tokens of the kit's own key, which the proxy adds to the public keys of the service: a renderer that verifies offline
 * believes them, but for the claim that is wrong.
 */
async function trusted(kit: Kit, claims: Claims): Promise<(claims: Claims) => string> {
  const { key } = kit.shared;
  if (kit.embed.isOffline) {
    const genuine = key.sign({ ...claims, jti: randomBytes(8).toString('hex') });
    kit.trace.made(genuine, 'signed with a key that the proxy has added to jwks.json');
    const rendering = await kit.renderAtHand(genuine, kit.embed.template);
    if (!kit.isOf(rendering, 0)) {
      throw new Skipped('the renderer does not read its keys through the proxy');
    }
  }
  return (own) => key.sign({ ...claims, ...own });
}

const issue = async (kit: Kit, group: Group, own: object): Promise<string | undefined> => {
  try {
    return await kit.embedToken(group, own);
  } catch (error) {
    // The workspace allows only some audiences.
    if (error instanceof ServiceError && error.status === 422) return undefined;
    throw error;
  }
};

/** Embed tokens are accepted only for this renderer, from this service, while they are valid. */
export const embedChecks: Check[] = [
  forged(
    'embed-audience',
    'an embed token for another audience is refused',
    'A token that was issued for another renderer or dashboard works here. Compare `aud` with your own name.',
    async (kit, _token, claims, group) => {
      const audience = `${kit.embed.audience}.other`;
      const sign = await trusted(kit, claims);
      const genuine = await issue(kit, group, { audience });
      return {
        ...(genuine !== undefined && { 'issued for another audience': genuine }),
        'with a list of other audiences': sign({ aud: [audience] }),
        'without an audience': sign({ aud: undefined }),
      };
    },
  ),
  forged(
    'embed-origin',
    'an embed token for the pages of another origin is refused',
    'A page of somebody else can show the dashboard in a frame. Compare `origin` with the site that embeds.',
    async (kit, _token, _claims, group) => {
      if (kit.embed.origin === undefined) {
        throw new Skipped('needs "embed.origin", which the renderer compares');
      }
      return {
        'issued for another origin': await kit.embedToken(group, {
          origin: 'https://other.conformance.example',
        }),
      };
    },
  ),
  forged(
    'embed-issuer',
    'an embed token of another issuer is refused',
    'Every workspace of the service signs with the same keys. Compare `iss`.',
    async (kit, _token, claims) => {
      const sign = await trusted(kit, claims);
      return {
        'of another issuer': sign({ iss: 'https://issuer.conformance.example' }),
        'without an issuer': sign({ iss: undefined }),
      };
    },
  ),
  forged(
    'embed-workspace',
    'an embed token of another workspace is refused',
    'Every workspace of the service signs with the same keys, and may have the same ids of groups. Compare `workspace_id`.',
    async (kit, _token, claims) => {
      const sign = await trusted(kit, claims);
      return {
        'of another workspace': sign({ workspace_id: `ws_${randomBytes(16).toString('hex')}` }),
        'without a workspace': sign({ workspace_id: undefined }),
      };
    },
  ),
  forged(
    'embed-tenant',
    'an embed token whose group was replaced is refused',
    'The claims are read before the signature is verified. Anybody can be any tenant.',
    async (kit, token) => {
      const { id, teamId } = await kit.group(1);
      return {
        'with the group of another tenant': withClaims(token, { sub: id, team_id: teamId }),
      };
    },
  ),
  forged(
    'embed-signature',
    'an embed token with another signature is refused',
    'The signature is not verified. Anybody can be any tenant.',
    (_kit, token, claims) => {
      const [header, payload] = token.split('.');
      return {
        'with one letter of the signature changed': withoutItsSignature(token),
        'without its signature': `${header}.${payload}.`,
        'signed with an unknown key, under the kid of the service': new ForgingKey(
          String(headerOf(token)['kid']),
        ).sign(claims),
      };
    },
  ),
  forged(
    'embed-algorithm',
    'an embed token with another algorithm is refused',
    'The token chooses how it is verified: not at all, or with the public key as a secret. Allow ES256 alone.',
    async (kit, token, claims) => {
      const path = `/workspaces/${String(claims['workspace_id'])}/.well-known/jwks.json`;
      const { keys = [] } = await kit.service.call('GET', path);
      const jwk = (keys as { kid?: string }[]).find(({ kid }) => kid === headerOf(token)['kid']);
      return {
        'of the algorithm none': unsigned(claims),
        'of the algorithm nOnE': unsigned(claims, 'nOnE'),
        ...(jwk && {
          'of HS256, with the public key as its secret': signedWithPublicKey(claims, jwk),
        }),
        'of HS256, with an empty secret': hmac(claims, { alg: 'HS256' }, ''),
      };
    },
  ),
  forged(
    'embed-kid',
    'an embed token of an unknown key is refused',
    'A key that nobody has published verifies tokens: the first one that is found, or one that the token brings along.',
    (_kit, _token, claims) => {
      const key = new ForgingKey(`conformance-unknown-${randomBytes(4).toString('hex')}`);
      return {
        'with an unknown kid': key.sign(claims),
        'without a kid': key.sign(claims, { kid: undefined }),
        'with a key of its own in the header': key.sign(claims, { jwk: key.jwk }),
      };
    },
  ),
  {
    id: 'embed-expired',
    title: 'an embed token is refused from its exp on',
    means:
      'A short-lived token has no end: anybody who has found a link in a history or a log sees the rows.',
    run: async (kit) => {
      const group = await kit.group(0);
      await forAWhile(async (seconds) => {
        const token = await kit.embedToken(group, { expires_in_seconds: seconds });
        const endsAt = Number(claimsOf(token)['exp']) * 1000 + kit.embed.leewaySeconds * 1000;
        return expires(
          kit,
          { token, endsAt },
          ['a valid embed token', 'after its exp'],
          kit.embed.template,
        );
      });
    },
  },
  {
    id: 'embed-ended',
    title:
      'the embed token of a group whose token was rotated is refused within the promised seconds',
    means: 'The renderer keeps the result of an introspection, or looks only at `exp`.',
    run: async (kit) => {
      if (kit.embed.isOffline) {
        throw new Skipped('a renderer that verifies offline sees no end before exp');
      }
      const group = await kit.group(0);
      const token = await kit.embedToken(group);
      await kit.control(token, 0, 'a valid embed token', kit.embed.template);
      await kit.service.rotate(group, 0, kit.trace);
      await kit.refusesSince(performance.now(), token, 'after the rotation', kit.embed.template);
    },
  },
  {
    id: 'embed-act',
    title: 'a dashboard says who views it as the group',
    means: 'Support looks at the dashboard of a customer, and nothing on it tells. Show `act.sub`.',
    run: async (kit) => {
      const group = await kit.group(0);
      const subject = `kim-${randomBytes(4).toString('hex')}@conformance.example`;
      const token = await kit.embedToken(group, {
        acting_for: { subject, reason: 'conformance kit' },
      });
      const { text, headers } = await kit.control(
        token,
        0,
        'an embed token of somebody who views as the group',
        kit.embed.template,
      );
      const { actHeader } = kit.embed;
      const told = actHeader === undefined ? text : (headers.get(actHeader) ?? '');
      if (![subject, encodeURIComponent(subject)].some((name) => told.includes(name))) {
        const place = actHeader === undefined ? 'response' : `header ${actHeader}`;
        throw new Failed(`the ${place} does not name ${subject}`);
      }
    },
  },
];

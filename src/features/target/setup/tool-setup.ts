import type { JsonObject, JsonValue } from '../../../platform/common/json/strict-json.ts';
import { isReference } from '../definition/references.ts';
import type { TargetDefinition, TargetKind } from '../definition/target-definition.ts';

/** The part of a target and of its workspace that its tool has to know. */
export interface SetupFacts {
  definition: TargetDefinition;
  /** The issuer of tokens that the key of the workspace signs. */
  issuer: string;
  /** The address of the keys of the workspace. */
  jwksUrl: string;
  /** Whether its host is an example, because the service does not know its own. */
  isExampleHost: boolean;
}

/** Stands for the address of a service that has no PUBLIC_URL. */
export const EXAMPLE_URL = 'https://user-groups.example.com';

/** The settings of a tool for its target. */
export interface ToolSetup {
  /** The file or the page of the tool. */
  place: string;
  /** A text to paste there, without a secret; null if the tool has no such text. */
  settings: string | null;
  /** Sentences about it. docs/guides/targets.md has the same ones. */
  notes: string[];
}

/** No program starts with it unchanged. */
const THE_SECRET = '<the secret of the target>';

const behind = (variable: string) => `Write the secret of the target behind ${variable}=.`;

const setups: Record<TargetKind, (facts: SetupFacts) => ToolSetup> = {
  superset: ({ definition }) => ({
    place: 'superset_config.py',
    settings: lines(
      'FEATURE_FLAGS = {"EMBEDDED_SUPERSET": True}',
      `GUEST_TOKEN_JWT_SECRET = ${THE_SECRET}`,
      'GUEST_TOKEN_JWT_ALGO = "HS256"',
      `GUEST_TOKEN_JWT_AUDIENCE = ${JSON.stringify(definition.audience)}`,
    ),
    notes: ['A dataset that no filter names is shown whole: name each dataset of the dashboard.'],
  }),
  'metabase-embed': () => ({
    place: 'The environment of Metabase',
    settings: lines('MB_ENABLE_EMBEDDING_STATIC=true', 'MB_EMBEDDING_SECRET_KEY='),
    notes: [
      behind('MB_EMBEDDING_SECRET_KEY'),
      'Metabase takes a secret of 64 hexadecimal digits; it is the embedding secret key of the admin settings.',
      'Set each parameter of the dashboard that separates groups to Locked: an editable one is the viewer’s.',
    ],
  }),
  'metabase-sso': () => ({
    place: 'The environment of Metabase',
    settings: lines('MB_JWT_ENABLED=true', 'MB_JWT_SHARED_SECRET='),
    notes: [
      behind('MB_JWT_SHARED_SECRET'),
      'The secret is the string of JWT in the authentication settings; the feature is paid.',
      'The session of Metabase lives longer than the token: when a user group is suspended, deactivate its tenant there as well.',
    ],
  }),
  lightdash: () => ({
    place: 'The embedding settings of the project',
    settings: null,
    notes: [
      'The secret is that of the embedding settings of the project.',
      'Require a version from 0.3219.1 on: before it attributes went into SQL unescaped.',
    ],
  }),
  cube: () => ({
    place: 'The environment of Cube',
    settings: lines('CUBEJS_API_SECRET=', 'CUBEJS_JWT_ALGS=HS256'),
    notes: [
      behind('CUBEJS_API_SECRET'),
      'Use the token on a server only: a browser can read the claims, and Cube’s responses repeat the filters.',
    ],
  }),
  grafana: ({ definition: { audience, claims }, issuer, jwksUrl, isExampleHost }) => ({
    place: 'grafana.ini',
    settings: lines(
      '[auth.jwt]',
      'enabled = true',
      'header_name = X-JWT-Assertion',
      `jwk_set_url = ${jwksUrl}`,
      `username_claim = ${nameOfUser(claims)}`,
      `expect_claims = {"iss": ${JSON.stringify(issuer)}, "aud": ${JSON.stringify(audience)}}`,
      'org_attribute_path = [to_string(team_id)]',
      'org_mapping = TEAM_ID:ORGANISATION:Viewer',
      'role_attribute_strict = true',
      'auto_sign_up = true',
    ),
    notes: [
      'Write the team_id and the organisation of each of your groups into org_mapping, with spaces between them.',
      ...(isExampleHost
        ? [`Write the address of the service in place of ${EXAMPLE_URL}, or set PUBLIC_URL.`]
        : []),
      'Give each group an organisation with its own data sources: a viewer can send any query to a data source of the organisation.',
      'Without role_attribute_strict an unknown group is in the default organisation.',
    ],
  }),
  jwt: ({ definition: { audience, signing } }) => {
    const keys = (signing?.keys ?? []).flatMap((key) => key.public_jwk ?? []);
    return {
      place: 'The verifier of your program',
      settings: lines(
        `alg: ${signing?.alg ?? ''}`,
        ...(audience === null ? [] : [`aud: ${audience}`]),
        keys.length > 0
          ? `keys: ${JSON.stringify({ keys } satisfies JsonObject)}`
          : `secret: ${THE_SECRET}`,
      ),
      notes: ['Let it accept this algorithm alone, and refuse a token without exp.'],
    };
  },
};

/** Says how the tool of a target is set up, with the values of this one, and without its secrets. */
export function toolSetupOf(facts: SetupFacts): ToolSetup {
  return setups[facts.definition.kind](facts);
}

/** Writes a setup for a terminal. */
export function linesOfSetup({ place, settings, notes }: ToolSetup): string[] {
  const pasted = settings === null ? [] : ['', ...settings.split('\n')];
  return [`${place}:`, ...pasted, '', ...notes];
}

/** Returns the claim of Grafana's user: the one that is `user.key` and needs no quotes in its settings, or else `sub`. */
function nameOfUser(claims: JsonObject): string {
  const isUser = (value: JsonValue) => isReference(value) && value['$'] === 'user.key';
  const names = Object.keys(claims).filter((name) => /^[\w-]+$/.test(name));
  return names.find((name) => isUser(claims[name]!)) ?? 'sub';
}

function lines(...texts: string[]): string {
  return texts.join('\n');
}

import type { Schemas } from '../../own-types.ts';

export type Target = Schemas['TargetView'];
export type Kind = Target['kind'];

/** The form of a kind of target. The service checks all of it; the fields that a kind refuses are not shown. */
interface KindForm {
  name: string;
  /** Whether tokens have the claim `aud`: it is required, optional or refused. */
  audience: boolean | null;
  /** Whether every group may see all that the tool shows. */
  unfiltered: boolean;
  /** Claims to begin with. */
  claims: string;
}

const REGION = '{"region":{"$":"variables.region"}}';

export const KINDS: Record<Kind, KindForm> = {
  superset: {
    name: 'Superset',
    audience: true,
    unfiltered: true,
    claims: '{"user":{"username":{"$":"user.key"}},"resources":{"$":"resources"}}',
  },
  'metabase-embed': {
    name: 'Metabase, static embedding',
    audience: null,
    unfiltered: true,
    claims: `{"resource":{"dashboard":{"$":"resource.dashboard"}},"params":${REGION}}`,
  },
  'metabase-sso': {
    name: 'Metabase, single sign-on',
    audience: null,
    unfiltered: false,
    claims: '{"groups":["Viewers"],"first_name":{"$":"user.name","default":"Somebody"}}',
  },
  lightdash: {
    name: 'Lightdash',
    audience: null,
    unfiltered: true,
    claims: `{"content":{"type":"dashboard","dashboardUuid":{"$":"resource.dashboard"}},"userAttributes":${REGION}}`,
  },
  cube: { name: 'Cube', audience: false, unfiltered: true, claims: REGION },
  grafana: {
    name: 'Grafana',
    audience: true,
    unfiltered: false,
    claims: '{"login":{"$":"user.key"}}',
  },
  jwt: {
    name: 'Another verifier of JWTs',
    audience: false,
    unfiltered: true,
    claims: '{"tenant":{"$":"sub"}}',
  },
};

/** Row filters to begin with. */
export const FILTERS =
  '[{"dataset":7,"column":"region","op":"in","type":"word","allowed":["EMEA","APAC"],"value":{"$":"variables.regions"}}]';

/** The sentence about a target that shows every group the same. */
export const UNFILTERED = 'Every group sees all that the tool shows';

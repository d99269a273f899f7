import type { TargetKind } from '../definition/target-definition.ts';
import { cube } from './cube.ts';
import { grafana } from './grafana.ts';
import { jwt } from './jwt.ts';
import type { KindRules } from './kind.ts';
import { lightdash } from './lightdash.ts';
import { metabaseEmbed } from './metabase-embed.ts';
import { metabaseSso } from './metabase-sso.ts';
import { superset } from './superset.ts';

/** The rules of each kind of target. */
export const kinds: Readonly<Record<TargetKind, KindRules>> = {
  superset,
  'metabase-embed': metabaseEmbed,
  'metabase-sso': metabaseSso,
  lightdash,
  cube,
  grafana,
  jwt,
};

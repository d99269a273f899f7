import {
  type Check,
  choiceOf,
  flagViolations,
  listOf,
  objectOf,
} from '../../../platform/common/fields.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../platform/common/json/strict-json.ts';
import { filledText, type KindRules, type Leaf, recordOf } from './kind.ts';

const flags = (names: readonly string[]) =>
  Object.fromEntries(names.map((name): [string, Check] => [name, flagViolations]));

const OF_DASHBOARDS = [
  'isPreview',
  'canExportCsv',
  'canExportDashboardCsv',
  'canExportImages',
  'canExportPagePdf',
  'canDateZoom',
  'canViewUnderlyingData',
  'stickyHeader',
];
const OF_CHARTS = ['isPreview', 'canExportCsv', 'canExportImages', 'canViewUnderlyingData'];
const FILTERS = {
  enabled: choiceOrFlag(['some', 'all', 'none']),
  allowedFilters: listOf(filledText, { most: 50 }),
  hidden: flagViolations,
  canAddFilters: flagViolations,
};
const PARAMETERS = { enabled: flagViolations };

/** The contents that a viewer can be shown; those that reach further, such as an agent or the API, are left out. */
const contents: Record<string, (leaf: Leaf) => Check> = {
  dashboardUuid: (leaf) => content(leaf, 'dashboard', 'dashboardUuid', OF_DASHBOARDS),
  dashboardSlug: (leaf) => content(leaf, 'dashboard', 'dashboardSlug', OF_DASHBOARDS),
  contentId: (leaf) => content(leaf, 'chart', 'contentId', OF_CHARTS),
};

function content(leaf: Leaf, type: string, id: string, names: readonly string[]): Check {
  const ofDashboards: Record<string, Check> =
    type === 'dashboard'
      ? {
          dashboardFiltersInteractivity: objectOf(FILTERS, [
            'allowedFilters',
            'hidden',
            'canAddFilters',
          ]),
          parameterInteractivity: objectOf(PARAMETERS),
        }
      : {};
  const optional: Record<string, Check> = {
    projectUuid: filledText,
    ...flags(names),
    ...ofDashboards,
  };
  return objectOf(
    { type: choiceOf([type]), [id]: leaf(filledText), ...optional },
    Object.keys(optional),
  );
}

/**
 * A token for embedding in Lightdash (`@lightdash/common`, `EmbedJwtSchema`). Lightdash only logs what does not fit its
 * schema, so a misspelt member would be ignored there: here it is refused. `canExplore`, `canViewDataApps`, `writeActions`
 * and the contents that reach beyond dashboards and charts are left out.
 */
export const lightdash: KindRules = {
  algorithms: ['HS256'],
  audience: 'refused',
  has: ['unfiltered'],
  hasIat: true,
  maxSeconds: 3600,
  claims: (leaf) =>
    objectOf(
      {
        content: (value, pointer) => {
          const id = Object.keys(contents).find(
            (name) => isJsonObject(value as JsonValue) && Object.hasOwn(value as JsonObject, name),
          );
          return contents[id ?? 'dashboardUuid']!(leaf)(value, pointer);
        },
        userAttributes: recordOf(leaf(attribute), () => undefined),
        user: objectOf({ externalId: leaf(filledText), email: leaf(filledText) }, [
          'externalId',
          'email',
        ]),
      },
      ['userAttributes', 'user'],
    ),
  filter: ({ claims }) => ({
    pointer: '/claims/userAttributes',
    value: claims['userAttributes'] ?? {},
  }),
  make: (claims) => claims,
};

/** Accepts a text, or a list of texts that is not empty: the values that Lightdash compares. */
function attribute(value: unknown, pointer: string) {
  return Array.isArray(value)
    ? listOf(filledText, { least: 1, most: 100, canRepeat: true })(value, pointer)
    : filledText(value, pointer);
}

function choiceOrFlag(values: readonly string[]): Check {
  return (value, pointer) => (typeof value === 'boolean' ? [] : choiceOf(values)(value, pointer));
}

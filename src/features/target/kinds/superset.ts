import { filledText, type KindRules } from './kind.ts';
import { listOf, objectOf, textThat } from '../../../platform/common/fields.ts';
import { filledIn, refused } from '../definition/claims.ts';
import { clauseOf, literalViolations } from './row-filter.ts';

const MAX_RESOURCES = 50;

/**
 * A guest token of Apache Superset (`superset/security/manager.py`, `create_guest_access_token`), which a host may sign
 * itself. Its schema drops unknown members, so that a misspelt `dataset` would be a rule for every one, and `rls_rules: []`
 * shows all rows. `attributes` of users are refused: templates of Superset put them into SQL as text.
 */
export const superset: KindRules = {
  algorithms: ['HS256'],
  audience: 'required',
  has: ['row_filters', 'unfiltered'],
  hasIat: true,
  maxSeconds: 3600,
  claims: (leaf) =>
    objectOf({
      user: objectOf(
        {
          username: leaf(filledText),
          first_name: leaf(filledText),
          last_name: leaf(filledText),
        },
        ['first_name', 'last_name'],
      ),
      resources: leaf(
        listOf(
          objectOf({
            type: textThat(
              (type) => type === 'dashboard',
              'A guest of Superset can have resources of the type dashboard.',
            ),
            id: leaf(filledText),
          }),
          { least: 1, most: MAX_RESOURCES, canRepeat: true },
        ),
      ),
    }),
  filter: ({ row_filters: value }) => ({
    pointer: '/row_filters',
    value: value.map((one) => one.value),
  }),
  make: ({ user, resources }, { row_filters: filters }, grant) => ({
    user: user!,
    resources: resources!,
    rls_rules: filters.map((filter, index) => {
      const path = ['row_filters', index, 'value'];
      const value = filledIn(filter.value, grant, path);
      const violations = literalViolations(filter, value, `/${path.join('/')}`);
      if (violations.length > 0) throw refused(violations);
      return { dataset: filter.dataset, clause: clauseOf(filter, value) };
    }),
    type: 'guest',
  }),
};

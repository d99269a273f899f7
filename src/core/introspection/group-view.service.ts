import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/common/access/caller.ts';
import type { JsonObject, JsonValue } from '../../platform/common/json/strict-json.ts';
import { UserGroupNotFound } from '../user-group/group/user-group.errors.ts';
import { describeMapping } from '../mapping/described-mapping.ts';
import { type DeclaredVariable, pathOf, valueAt } from '../mapping/variables.ts';
import { standingOf, UserGroupSnapshots } from '../user-group/snapshot/user-group-snapshots.ts';
import { isValid } from '../user-group/token/token-validity.ts';
import { UserGroupTokenRepository } from '../user-group/token/user-group-token.repository.ts';
import type { UserGroupViewResponse, VariableView } from './dto/group-view.dto.ts';
import { describeUserGroupToken } from './introspection.service.ts';

/** Shows people what the renderer of a group gets. */
@Injectable()
export class GroupViewService {
  constructor(
    private readonly tokens: UserGroupTokenRepository,
    private readonly snapshots: UserGroupSnapshots,
  ) {}

  /** Reads the database, and counts as no use of the token. @throws UserGroupNotFound */
  async get({ workspaceId }: Caller, providedId: string): Promise<UserGroupViewResponse> {
    const found = await this.tokens.findCurrent({ workspaceId, providedId });
    const group =
      found &&
      (await this.snapshots.find(
        { workspaceId, userGroupId: found.userGroupId },
        { isFresh: true },
      ));
    const token = group?.tokens.at(-1);
    if (!group || !token) throw new UserGroupNotFound();
    const { rules, mapping, properties } = group;
    const variables = describeVariables(rules.variables, JSON.parse(properties) as JsonObject);
    const introspection = isValid(group, token)
      ? describeUserGroupToken(group, token)
      : { active: false };
    return {
      success: 1,
      view: { ...standingOf(group), introspection, ...describeMapping(rules, mapping), variables },
    };
  }
}

/** Describes the declared variables, and the properties that none of them is in. */
function describeVariables(
  declared: readonly DeclaredVariable[],
  properties: JsonObject,
): VariableView[] {
  const roots = new Set(declared.map((variable) => pathOf(variable)[0]));
  const others = Object.entries(properties).filter(([name]) => !roots.has(name));
  return [
    ...declared.map((variable): VariableView => {
      const { name, type, required } = variable;
      const hasValue = (valueAt(properties, pathOf(variable)) ?? null) !== null;
      const origin = hasValue ? 'properties' : variable.default === undefined ? 'none' : 'default';
      return { name, type, origin, declared: true, required };
    }),
    ...others.map(([name, value]): VariableView => {
      return { name, type: typeOf(value), origin: 'properties', declared: false, required: false };
    }),
  ];
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

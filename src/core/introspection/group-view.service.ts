import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/common/access/caller.ts';
import type { JsonObject, JsonValue } from '../../platform/common/json/strict-json.ts';
import { ReservedIds } from '../user-group/group/reserved-ids.ts';
import { describeMapping } from '../mapping/described-mapping.ts';
import { type DeclaredVariable, pathOf, valueAt } from '../mapping/variables.ts';
import type { StatusReason } from '../user-group/status/user-group-status.ts';
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
    private readonly reserved: ReservedIds,
  ) {}

  /** Reads the database, and counts as no use of the token. @throws UserGroupNotFound, UserGroupRenamed */
  async get(caller: Caller, providedId: string): Promise<UserGroupViewResponse> {
    const { workspaceId, range } = caller;
    const found = await this.tokens.findCurrent(caller, providedId);
    const group =
      found &&
      (await this.snapshots.find(
        { workspaceId, range, userGroupId: found.userGroupId },
        { isFresh: true },
      ));
    const token = group?.tokens.at(-1);
    if (!group || !token) throw await this.reserved.refusal(caller, providedId);
    const { rules, mapping, properties } = group;
    const values = JSON.parse(properties) as JsonObject;
    const variables = describeVariables(rules.variables, values);
    const introspection = isValid(group, token) ? describeUserGroupToken(group, token) : undefined;
    const { status, reasons } = standingOf(group);
    return {
      success: 1,
      view: {
        status,
        reasons: [...reasons, ...missingOfToken(rules.variables)],
        introspection: introspection ?? { active: false },
        ...describeMapping(rules, mapping),
        variables,
      },
    };
  }
}

/** Tells why the token of a group is inactive although the group is not: it has no variables of its own. */
function missingOfToken(declared: readonly DeclaredVariable[]): StatusReason[] {
  return declared
    .filter(({ source, required }) => source === 'token' && required)
    .map(({ name }) => {
      const detail = `The workspace requires the variable ${name}, which only an embed token has.`;
      return { code: 'variable_missing', detail };
    });
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
      const { name, type, source, required } = variable;
      const hasValue = (valueAt(properties, pathOf(variable)) ?? null) !== null;
      const without = variable.default === undefined ? 'none' : 'default';
      const origin = source === 'token' ? 'token' : hasValue ? 'properties' : without;
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

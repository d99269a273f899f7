import type { JsonValue } from '../../platform/common/json/strict-json.ts';
import type { Violation } from '../../platform/common/problem/violation.ts';
import { withoutControls } from '../../platform/common/text.ts';
import type {
  PlanAction,
  PlannedChangeView,
  PlannedDifferenceView,
  PlanResponse,
} from './dto/plan-response.dto.ts';
import { type PlacedGroup, placeText } from './files/placed-groups.ts';

const SIGNS: Record<PlanAction, string> = { create: '+', update: '~', suspend: '-', delete: '-' };

/** Returns the lines of a plan for people. @param groups those of its lines */
export function planText(
  { changes, conflicts, counts }: PlanResponse['user_group_plan'],
  groups: readonly PlacedGroup[],
): string[] {
  const text: string[] = [];
  const print = (line: string) => text.push(withoutControls(line));
  for (const change of changes) {
    print(
      `${SIGNS[change.action]} ${change.action} ${labelOf(change)}${placeOf(change.line, groups)}`,
    );
    for (const difference of change.differences ?? []) print(`    ${differenceText(difference)}`);
    const { more_differences: more } = change;
    if (more !== undefined) print(`    and ${more} more`);
  }
  for (const { provided_id, line, managed_by } of conflicts) {
    const owner = managed_by === null ? 'no set' : `the set ${managed_by}`;
    print(`! conflict ${JSON.stringify(provided_id)} belongs to ${owner}${placeOf(line, groups)}`);
  }
  const { create, update, suspend, unchanged } = counts;
  print(
    `${create} to create, ${update} to update, ${suspend} to suspend, ${counts.delete} to delete, ${unchanged} unchanged.`,
  );
  return text;
}

/** Returns the faults of lines with the places of their groups, for people; none for a fault of another place. */
export function faultsText(
  violations: readonly Violation[],
  groups: readonly PlacedGroup[],
): string[] {
  return violations.flatMap(({ pointer, detail }) => {
    const [, line, rest = ''] = /^\/(\d+)(\/.*)?$/s.exec(pointer) ?? [];
    const group = groups[Number(line) - 1];
    if (!group) return [];
    const fault = rest === '' ? detail : `${rest}: ${detail}`;
    return [withoutControls(`${placeText(group.place)}: ${fault}`)];
  });
}

function labelOf({ provided_id, name }: PlannedChangeView): string {
  return `${JSON.stringify(provided_id)} (${name})`;
}

function placeOf(line: number | undefined, groups: readonly PlacedGroup[]): string {
  const group = line === undefined ? undefined : groups[line - 1];
  return group ? `  ${placeText(group.place)}` : '';
}

function differenceText({ pointer, was, is }: PlannedDifferenceView): string {
  if (was === undefined) return `${pointer}: + ${textOf(is!)}`;
  if (is === undefined) return `${pointer}: - ${textOf(was)}`;
  return `${pointer}: ${textOf(was)} -> ${textOf(is)}`;
}

function textOf(value: JsonValue): string {
  return JSON.stringify(value);
}

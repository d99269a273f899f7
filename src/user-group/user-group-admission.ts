import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ValidationFailed } from '../common/errors';
import type { JsonObject } from '../common/json/strict-json';
import { MappingResolver } from '../registry/mapping-resolver';
import type { ResolvedEntry } from '../registry/resolved-mapping';
import { type Rules, shortcomingsOf } from '../registry/rules';
import { type Mapping, toMappingEntries } from './mapping';

/** Whether a user group may become what a write wants, by the rules of its workspace. */
@Injectable()
export class UserGroupAdmission {
  constructor(private readonly resolver: MappingResolver) {}

  /**
   * The entries of the mapping to be stored, after the write; those that are stored if it has none.
   * @param rules which the transaction of `manager` holds
   * @param stored the entries as they are; empty if the group is new
   * @throws ValidationFailed if the mapping cannot be resolved, or the group lacks what is required
   */
  async admit(
    manager: EntityManager,
    { workspaceId, rules }: { workspaceId: number; rules: Rules },
    { properties, mapping }: { properties: JsonObject; mapping: Mapping | undefined },
    stored: readonly ResolvedEntry[],
  ): Promise<readonly ResolvedEntry[]> {
    const entries = mapping
      ? await this.resolve(manager, { workspaceId, rules }, mapping, stored)
      : stored;
    const shortcomings = shortcomingsOf(rules, { properties, mapping: entries });
    if (shortcomings.length > 0) throw new ValidationFailed(shortcomings);
    return entries;
  }

  private async resolve(
    manager: EntityManager,
    { workspaceId, rules }: { workspaceId: number; rules: Rules },
    mapping: Mapping,
    stored: readonly ResolvedEntry[],
  ): Promise<ResolvedEntry[]> {
    const sent = toMappingEntries(mapping);
    if (rules.policy === 'registered') {
      return this.resolver.resolve(manager, workspaceId, sent, stored);
    }
    return sent.map((entry) => ({ ...entry, schema: null, source: null }));
  }
}

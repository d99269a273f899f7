import { Injectable } from '@nestjs/common';
import { statement } from '../../platform/database/statement.ts';
import { Statements } from '../../platform/database/statements.ts';
import { parseStoredRules, type UserGroupRules } from './user-group-rules.ts';

/** Rules by which a workspace judged its groups and tokens at a time. */
export interface PastRules {
  rules: UserGroupRules;
  /** Tokens of an earlier epoch were ended, and tokens issued before the time, if there is one. */
  ended: { tokensEpoch: number; tokensEndedBefore: number | null };
  /** False if the workspace has since left the policy `registered`, which clears what mappings resolve to. */
  isResolutionKept: boolean;
}

interface Row {
  tokensEpoch: number;
  tokensEndedBefore: number | null;
  policy: UserGroupRules['policy'];
  variables: string;
  requiredSchemas: string;
  hasBeenOpen: boolean | 0 | 1;
}

/** Finds the first state of the workspace that was replaced after the time; the present one counts. */
const findAt = statement<{ workspaceId: number; at: number; until: number }, Row>(
  'past-rules.find',
  () => `
    WITH state AS (
      SELECT replaced_at, mapping_policy, variables, required_schemas, tokens_epoch, tokens_ended_before
      FROM workspace_history WHERE workspace_id = :workspaceId AND replaced_at > CAST(:at AS bigint)
      UNION ALL
      SELECT ${Number.MAX_SAFE_INTEGER}, mapping_policy, variables, required_schemas, tokens_epoch, tokens_ended_before
      FROM workspace WHERE id = :workspaceId
    )
    SELECT mapping_policy AS policy, variables,
      required_schemas AS "requiredSchemas", tokens_epoch AS "tokensEpoch", tokens_ended_before AS "tokensEndedBefore",
      EXISTS (SELECT 1 FROM state o WHERE o.mapping_policy = 'open' AND o.replaced_at <= (
        SELECT min(l.replaced_at) FROM state l WHERE l.replaced_at > CAST(:until AS bigint))) AS "hasBeenOpen"
    FROM state ORDER BY replaced_at LIMIT 1`,
);

/** Reads the rules of workspaces at earlier times. They are kept as long as the states of groups. */
@Injectable()
export class PastRulesReader {
  constructor(private readonly statements: Statements) {}

  /** @param until the time at which the resolution of the judged mapping was read */
  async find(workspaceId: number, at: number, until: number): Promise<PastRules> {
    const [row] = await this.statements.read(findAt, { workspaceId, at, until });
    const { tokensEpoch, tokensEndedBefore, hasBeenOpen, ...stored } = row!;
    const rules = parseStoredRules(stored);
    return {
      rules,
      ended: { tokensEpoch, tokensEndedBefore },
      isResolutionKept: rules.policy === 'open' || !hasBeenOpen,
    };
  }
}

import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ActivityTally } from '../../activity/activity-tally.ts';
import { type AuditEntry, AuditLog, translateAuditError } from '../../audit/audit-log.ts';
import { ChangeFeed } from '../../change-log/change-feed.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { toBytesText } from '../../../platform/database/dialect.ts';
import type { Statement } from '../../../platform/database/statement.ts';
import { Statements } from '../../../platform/database/statements.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { type IssuedToken, TokenIssuer } from '../token/token-issuer.ts';
import { writtenOf } from '../group/user-group-fields.ts';
import { keyRecord } from '../../idempotency/idempotency-keys.ts';
import type { KnownRules } from '../../mapping/workspace-rules.ts';
import {
  changesRow,
  changesRuled,
  chosenToken,
  eventsOf,
  leakEvent,
  type Replacement,
  type Rotation,
  rotationEvent,
} from './user-group-change.ts';
import type { WrittenUserGroup } from './user-group-write.ts';
import type { PlannedWrite, Wave } from './write-planner.ts';
import {
  noRecords,
  type WriteEvent,
  type WriteParameters,
  type WriteRecords,
} from './write-records.ts';
import {
  type AppliedRotation,
  applyCounted,
  applyRotations,
  applyUncounted,
} from './write-statements.ts';

/** Stores planned writes: all of a wave in one statement, each as a whole or not at all. */
@Injectable()
export class WriteStore {
  constructor(
    private readonly issuer: TokenIssuer,
    private readonly auditLog: AuditLog,
    private readonly statements: Statements,
    private readonly transactor: Transactor,
    private readonly changes: ChangeFeed,
    private readonly activity: ActivityTally,
  ) {}

  /** @returns the writes that were stored; the others have lost a race. @throws AuditUnavailable, DatabaseUnavailable */
  async apply(
    wave: Wave,
    planned: readonly PlannedWrite[],
  ): Promise<Map<PlannedWrite, WrittenUserGroup>> {
    if (planned.length === 0) return new Map();
    const { workspaceId, known } = wave;
    const issued = planned.map(({ change }) =>
      change.stored && !change.replacement
        ? undefined
        : this.issuer.issue(workspaceId, chosenToken(change)),
    );
    const statement = known.rules.userGroupQuota === null ? applyUncounted : applyCounted;
    const applied = await this.run(statement, wave, this.toRecords(planned, issued, wave));
    return new Map(
      applied.map(({ n, id }) => [
        planned[n]!,
        toWritten(planned[n]!, id, known.version, issued[n]),
      ]),
    );
  }

  /**
   * Replaces tokens of one workspace.
   * @param hashes of the tokens; undefined for one that does not exist
   * @returns for each in their order the new token, and what the statement tells of the rotation
   * @throws AuditUnavailable, DatabaseUnavailable
   */
  async rotate(
    workspaceId: number,
    rotations: readonly Rotation[],
    hashes: readonly (Buffer | undefined)[],
    manager?: EntityManager,
  ): Promise<(AppliedRotation & { token: string })[]> {
    const now = currentTime();
    const issued = rotations.map(() => this.issuer.issue(workspaceId));
    const records = noRecords();
    for (const [n, rotation] of rotations.entries()) {
      const { caller, call } = rotation;
      const mayBeEnded = Number(!rotation.tokenHash);
      records.rotated.push({ n, ...retirementOf(caller, hashes[n], rotation, now), mayBeEnded });
      records.issued.push({ n, ...issued[n]!.record });
      if (call) records.keys.push({ n, ...keyRecord(call) });
      records.events.push(this.toEvent(n, 0, caller, rotationEvent(rotation)));
      if (rotation.leak) records.events.push(this.toEvent(n, 1, caller, leakEvent(rotation.leak)));
    }
    const applied = await this.run(applyRotations, { workspaceId, now, manager }, records);
    return applied
      .toSorted((one, other) => one.n - other.n)
      .map((one) => ({ ...one, token: issued[one.n]!.token }));
  }

  /** Announces a write that is committed. */
  announce(
    workspaceId: number,
    userGroupId: number,
    kind: { isCreated?: boolean; isRotated?: boolean },
  ): void {
    const activity = this.activity.of(workspaceId);
    if (kind.isCreated) activity.creations++;
    if (kind.isRotated) {
      this.issuer.rotations++;
      activity.rotations++;
    }
    this.changes.announce({ workspaceId, userGroupId });
  }

  private async run<Row>(
    statement: Statement<WriteParameters, Row>,
    {
      workspaceId,
      now,
      known,
      manager,
    }: Pick<Wave, 'workspaceId' | 'now' | 'manager'> & { known?: KnownRules },
    records: WriteRecords,
  ): Promise<Row[]> {
    const parameters = { workspaceId, now, rulesVersion: known?.version ?? 0, ...records };
    try {
      if (manager) return await this.statements.run(manager, statement, parameters);
      return await this.transactor.apply(statement, parameters);
    } catch (error) {
      throw translateAuditError(error);
    }
  }

  private toRecords(
    planned: readonly PlannedWrite[],
    issued: readonly (IssuedToken | undefined)[],
    { now, known }: Wave,
  ): WriteRecords {
    const records = noRecords();
    const { variables } = known.rules;
    for (const [n, write] of planned.entries()) {
      const { caller, providedId, details, change, group, entries } = write;
      const { stored, replacement, isRemoval } = change;
      if (stored) {
        const { id, version, generation } = stored;
        records.expected.push({ n, id, version, generation: replacement ? generation : null });
      } else {
        records.created.push({
          n,
          providedId,
          redactedId: this.auditLog.redactId(providedId),
          ...writtenOf(group),
        });
      }
      if (isRemoval) records.removed.push({ n });
      else if (stored && changesRow(change)) {
        records.changed.push({ n, ...writtenOf(group), isJudged: Number(changesRuled(change)) });
      }
      if (stored && replacement) {
        records.replaced.push({ n, ...retirementOf(caller, stored.tokenHash, replacement, now) });
      }
      const token = issued[n];
      if (token) records.issued.push({ n, ...token.record });
      if (token && chosenToken(change) !== undefined) {
        records.chosen.push({ n, tokenHash: token.record.tokenHash });
      }
      if (change.mapping) {
        if (stored) records.remapped.push({ n });
        for (const { schemaId, dataSource, dataSourceType, schema, source } of entries) {
          const registered = { registeredSchemaId: schema?.id, registeredDataSourceId: source?.id };
          records.entries.push({ n, schemaId, dataSource, dataSourceType, ...registered });
        }
      }
      const events = eventsOf(
        change,
        { providedId, version: group.version },
        { variables, details },
      );
      for (const [k, event] of events.entries()) {
        records.events.push(this.toEvent(n, k, caller, event));
      }
    }
    return records;
  }

  /** Leaves the beginning of the details to the statement, which knows the team_id: `,"import":true}`. */
  private toEvent(n: number, k: number, caller: Caller, entry: AuditEntry): WriteEvent {
    const event: WriteEvent = this.auditLog.toEvent(caller, entry);
    const id = entry.object?.id ?? undefined;
    event.n = n;
    event.k = k;
    event.version = entry.version;
    if (id !== event.objectId) event.changedId = id;
    event.details = event.details === undefined ? '}' : `,${String(event.details).slice(1)}`;
    return event;
  }
}

/** Returns when the overlap of a token that is replaced now ends, which may be at once, and who has replaced it. */
function retirementOf(
  { apiTokenId }: Caller,
  tokenHash: Buffer | undefined,
  { graceSeconds }: Replacement,
  now: number,
) {
  const validUntil = graceSeconds === 0 ? null : now + graceSeconds * 1000;
  return { tokenHash: tokenHash && toBytesText(tokenHash), validUntil, retiredBy: apiTokenId };
}

function toWritten(
  { change, group, token }: PlannedWrite,
  id: number,
  rulesVersion: number,
  issued?: IssuedToken,
): WrittenUserGroup {
  const { stored, replacement } = change;
  if (!stored) {
    return { result: 'created', group: { ...group, id }, rulesVersion, token: issued!.token };
  }
  const isRotated = replacement !== undefined;
  return {
    result: 'updated',
    group,
    rulesVersion,
    token: isRotated ? issued!.token : token,
    isRotated,
  };
}

import type { MigrationInterface } from 'typeorm';
import { CreateWorkspaces1795000000001 } from './1795000000001-create-workspaces.ts';
import { CreateUserGroups1795000000002 } from './1795000000002-create-user-groups.ts';
import { CreateAuditEvents1795000000003 } from './1795000000003-create-audit-events.ts';
import { ExtendApiTokens1795000000004 } from './1795000000004-extend-api-tokens.ts';
import { AddRotationOverlap1795000000005 } from './1795000000005-add-rotation-overlap.ts';
import { AddKeyForgottenAt1795000000006 } from './1795000000006-add-key-forgotten-at.ts';
import { AddGroupState1795000000007 } from './1795000000007-add-group-state.ts';
import { CreateRegistry1795000000008 } from './1795000000008-create-registry.ts';
import { IndexGroupsById1795000000009 } from './1795000000009-index-groups-by-id.ts';
import { NameWorkspaces1795000000010 } from './1795000000010-name-workspaces.ts';
import { ScopeTokenHashes1795000000011 } from './1795000000011-scope-token-hashes.ts';
import { AddPublicEventIds1795000000012 } from './1795000000012-add-public-event-ids.ts';
import { AddFirstApiToken1795000000014 } from './1795000000014-add-first-api-token.ts';
import { AddUserGroupQuota1795000000015 } from './1795000000015-add-user-group-quota.ts';
import { CountEncryptions1795000000016 } from './1795000000016-count-encryptions.ts';
import { CreateChangeEvents1795000000017 } from './1795000000017-create-change-events.ts';
import { ExtendChangeEvents1795000000018 } from './1795000000018-extend-change-events.ts';
import { IndexChangeEvents1795000000019 } from './1795000000019-index-change-events.ts';
import { CreateWebhooks1795000000020 } from './1795000000020-create-webhooks.ts';
import { IndexTokenOverlaps1795000000021 } from './1795000000021-index-token-overlaps.ts';
import { IndexDeletions1795000000022 } from './1795000000022-index-deletions.ts';
import { AddEndpointRemoval1795000000023 } from './1795000000023-add-endpoint-removal.ts';
import { IndexWebhookDeliveries1795000000024 } from './1795000000024-index-webhook-deliveries.ts';
import { CreateEventConsumers1795000000025 } from './1795000000025-create-event-consumers.ts';
import { CreateConsoleSessions1795000000026 } from './1795000000026-create-console-sessions.ts';
import { IndexGroupsByUpdate1795000000027 } from './1795000000027-index-groups-by-update.ts';
import { IndexGroupsByName1795000000028 } from './1795000000028-index-groups-by-name.ts';
import { IndexSuspendedGroups1795000000030 } from './1795000000030-index-suspended-groups.ts';
import { IndexOverlapsByWorkspace1795000000031 } from './1795000000031-index-overlaps-by-workspace.ts';
import { AddSubjectOfApiToken1795000000032 } from './1795000000032-add-subject-of-api-token.ts';
import { CreateActivity1795000000033 } from './1795000000033-create-activity.ts';
import { CreateWebhookReplays1795000000034 } from './1795000000034-create-webhook-replays.ts';
import { CreateWebhookBacklog1795000000035 } from './1795000000035-create-webhook-backlog.ts';
import { AddEndpointSkipping1795000000036 } from './1795000000036-add-endpoint-skipping.ts';

/**
 * Every migration in the order in which they run; the list only ever grows at its end. Numbers that are
 * left out stay unused: TypeORM sorts by them.
 */
export const migrations: (new () => MigrationInterface)[] = [
  CreateWorkspaces1795000000001,
  CreateUserGroups1795000000002,
  CreateAuditEvents1795000000003,
  ExtendApiTokens1795000000004,
  AddRotationOverlap1795000000005,
  AddKeyForgottenAt1795000000006,
  AddGroupState1795000000007,
  CreateRegistry1795000000008,
  IndexGroupsById1795000000009,
  NameWorkspaces1795000000010,
  ScopeTokenHashes1795000000011,
  AddPublicEventIds1795000000012,
  AddFirstApiToken1795000000014,
  AddUserGroupQuota1795000000015,
  CountEncryptions1795000000016,
  CreateChangeEvents1795000000017,
  ExtendChangeEvents1795000000018,
  IndexChangeEvents1795000000019,
  CreateWebhooks1795000000020,
  IndexTokenOverlaps1795000000021,
  IndexDeletions1795000000022,
  AddEndpointRemoval1795000000023,
  IndexWebhookDeliveries1795000000024,
  CreateEventConsumers1795000000025,
  CreateConsoleSessions1795000000026,
  IndexGroupsByUpdate1795000000027,
  IndexGroupsByName1795000000028,
  IndexSuspendedGroups1795000000030,
  IndexOverlapsByWorkspace1795000000031,
  AddSubjectOfApiToken1795000000032,
  CreateActivity1795000000033,
  CreateWebhookReplays1795000000034,
  CreateWebhookBacklog1795000000035,
  AddEndpointSkipping1795000000036,
];

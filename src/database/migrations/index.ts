import { CreateWorkspaces1795000000001 } from './1795000000001-create-workspaces';
import { CreateUserGroups1795000000002 } from './1795000000002-create-user-groups';
import { CreateAuditEvents1795000000003 } from './1795000000003-create-audit-events';
import { ExtendApiTokens1795000000004 } from './1795000000004-extend-api-tokens';
import { AddRotationOverlap1795000000005 } from './1795000000005-add-rotation-overlap';
import { AddKeyForgottenAt1795000000006 } from './1795000000006-add-key-forgotten-at';
import { AddGroupState1795000000007 } from './1795000000007-add-group-state';
import { CreateRegistry1795000000008 } from './1795000000008-create-registry';
import { IndexGroupsById1795000000009 } from './1795000000009-index-groups-by-id';
import { NameWorkspaces1795000000010 } from './1795000000010-name-workspaces';
import { ScopeTokenHashes1795000000011 } from './1795000000011-scope-token-hashes';
import { AddPublicEventIds1795000000012 } from './1795000000012-add-public-event-ids';
import { AddFirstApiToken1795000000014 } from './1795000000014-add-first-api-token';
import { AddUserGroupQuota1795000000015 } from './1795000000015-add-user-group-quota';
import { CountEncryptions1795000000016 } from './1795000000016-count-encryptions';
import { CreateChangeEvents1795000000017 } from './1795000000017-create-change-events';
import { ExtendChangeEvents1795000000018 } from './1795000000018-extend-change-events';
import { IndexChangeEvents1795000000019 } from './1795000000019-index-change-events';
import { CreateWebhooks1795000000020 } from './1795000000020-create-webhooks';
import { IndexTokenOverlaps1795000000021 } from './1795000000021-index-token-overlaps';
import { IndexDeletions1795000000022 } from './1795000000022-index-deletions';
import { AddEndpointRemoval1795000000023 } from './1795000000023-add-endpoint-removal';
import { IndexWebhookDeliveries1795000000024 } from './1795000000024-index-webhook-deliveries';

/**
 * Every migration in the order in which they run; the list only ever grows at its end. Numbers that are
 * left out stay unused: TypeORM sorts by them.
 */
export const migrations = [
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
];

import { readRules } from '../../src/registry/rules';
import { randomBytes } from 'node:crypto';
import { ChangeFeed } from '../../src/database/change-feed';
import type {
  UserGroupSnapshot,
  UserGroupSnapshotRepository,
} from '../../src/user-group/user-group-snapshot.repository';
import { UserGroupSnapshots } from '../../src/user-group/user-group-snapshots';

/** That of a process that is alone. */
class LocalChangeFeed extends ChangeFeed {}

const hash = randomBytes(32);
const group: UserGroupSnapshot = {
  workspaceId: 1,
  workspace: { publicId: 'ws_1', embedTokenIssuer: null },
  userGroupId: 1,
  providedId: 'g',
  name: 'g',
  properties: '{}',
  mapping: [],
  rules: readRules(null),
  isSuspended: false,
  isComplete: true,
  tokens: [{ generation: 2, hash: hash.toString('base64'), createdAt: 0, validUntil: null }],
  size: 500,
};

test('guessing tokens does not push out those that are valid', async () => {
  const asked: Buffer[] = [];
  const repository = {
    findByHash: (key: { hash: Buffer }) => {
      asked.push(key.hash);
      return Promise.resolve(key.hash.equals(hash) ? group : undefined);
    },
    findById: () => Promise.resolve(group),
  } as unknown as UserGroupSnapshotRepository;
  const snapshots = new UserGroupSnapshots(repository, new LocalChangeFeed());
  const find = (one: Buffer) =>
    snapshots.findByHash({ workspaceId: 1, hash: one }, { isFresh: false });
  await find(hash);
  // More than the tokens that it remembers.
  for (let guess = 0; guess < 30_000; guess++) await find(randomBytes(32));
  await find(hash);
  expect(asked.filter((one) => one.equals(hash))).toHaveLength(1);
});

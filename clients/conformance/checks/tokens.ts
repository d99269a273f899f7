import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, type Kit, Skipped } from '../kit.ts';
import type { Group } from '../service.ts';
import { expires, forAWhile } from './lives.ts';

/** A check that ends the token of a group, and waits until it is refused. */
function ended(
  id: string,
  title: string,
  means: string,
  end: (kit: Kit, group: Group) => Promise<number>,
): Check {
  return {
    id,
    title,
    means,
    run: async (kit) => {
      const group = await kit.group(0);
      await kit.control(group.token, 0, 'before its end');
      await kit.refusesSince(await end(kit, group), group.token, 'after its end');
    },
  };
}

const KEPT =
  'The renderer keeps the result of an introspection for longer than it says, or does not ask again.';

/** A token that has ended shows nothing. */
export const tokenChecks: Check[] = [
  ended(
    'token-rotated',
    'a token that was rotated is refused within the promised seconds',
    `${KEPT} Anybody with an old link sees everything.`,
    async (kit, group) => {
      const next = await kit.service.rotate(group, 0, kit.trace);
      const rotatedAt = performance.now();
      await kit.shows(next, 0, 'the next token');
      return rotatedAt;
    },
  ),
  ended(
    'token-revoked',
    'a token that was revoked (RFC 7009) is refused within the promised seconds',
    `${KEPT} A token that has leaked stays good.`,
    async (kit, { token }) => {
      await kit.service.call('POST', '/api/v1/revoke', { token }, kit.trace);
      return performance.now();
    },
  ),
  ended(
    'group-suspended',
    'the token of a suspended group is refused within the promised seconds',
    `${KEPT} A customer whose access has ended still sees rows.`,
    async (kit, { id }) => {
      await kit.service.call('POST', `/api/v1/user-groups/${id}/suspend`, undefined, kit.trace);
      return performance.now();
    },
  ),
  ended(
    'group-deleted',
    'the token of a deleted group is refused within the promised seconds',
    `${KEPT} A customer who has left still sees rows.`,
    async (kit, { id }) => {
      await kit.service.delete(id, kit.trace);
      return performance.now();
    },
  ),
  {
    id: 'group-expired',
    title: 'the token of a group is refused from its valid_until on',
    means:
      'The renderer keeps the result of an introspection past the end of the group. No event tells of that moment.',
    run: async (kit) => {
      await forAWhile(async (seconds) => {
        const endsAt = Date.now() + seconds * 1000;
        const { token } = await kit.group(0, { valid_until: new Date(endsAt).toISOString() });
        return expires(kit, { token, endsAt }, ['before valid_until', 'after valid_until']);
      });
    },
  },
  {
    id: 'token-overlap',
    title:
      'in the overlap of a rotation both tokens show rows, and the old one is refused after it',
    means: 'Pages that are open break at each rotation, or an old token outlives its overlap.',
    run: async (kit) => {
      await forAWhile((seconds) => overlaps(kit, seconds));
    },
  },
  {
    id: 'token-kill-switch',
    title:
      'after all tokens of the workspace are ended every token is refused within the promised seconds, and the next one shows rows',
    means: `${KEPT} After a leak you cannot tell when the last dashboard is closed.`,
    runs: 'alone',
    run: async (kit) => {
      if (!kit.config.service.isDisposable) {
        throw new Skipped(
          'needs "service.disposable_workspace": true, since it ends every token of the workspace',
        );
      }
      const group = await kit.group(0);
      await kit.control(group.token, 0, 'before all tokens are ended');
      const body = { kinds: ['user_group_token', 'embed_token'], reason: 'conformance kit' };
      try {
        await kit.service.call('POST', '/api/v1/workspace/end-tokens', body, kit.trace);
      } catch (error) {
        if ((error as { status?: number }).status === 403) {
          throw new Skipped((error as Error).message);
        }
        throw error;
      }
      await kit.refusesSince(performance.now(), group.token, 'after all tokens are ended');
      const healed = await kit.service.call('PUT', '/api/user', { user_group_id: group.id });
      kit.trace.call(
        'PUT',
        '/api/user',
        { user_group_id: group.id },
        { value: healed.user_group!.token, at: '.user_group.token' },
      );
      await kit.shows(healed.user_group!.token, 0, 'the token after all tokens are ended');
    },
  },
];

/**
 * Rotates with an overlap, and looks at both tokens in it and after it.
 * @returns false if the overlap was over before the renderer had responded
 */
async function overlaps(kit: Kit, seconds: number): Promise<boolean> {
  const group = await kit.group(0);
  await kit.control(group.token, 0, 'before the rotation');
  const endsAt = performance.now() + seconds * 1000;
  const next = await kit.service.rotate(group, seconds, kit.trace);
  const rotatedAt = performance.now();
  await kit.shows(next, 0, 'the next token');
  const old = await kit.renderAtHand(group.token);
  if (old.endedAt > endsAt) return false;
  kit.mustShow(old, 0, 'the old token, in its overlap');
  await sleep(Math.max(0, rotatedAt + seconds * 1000 - performance.now()));
  await kit.refusesSince(
    rotatedAt + seconds * 1000,
    group.token,
    'the old token, after its overlap',
  );
  await kit.shows(next, 0, 'the next token, after the overlap');
  return true;
}

import { type Check, Failed, isAway, isSuccess, type Kit, NotJudged, Skipped } from '../kit.ts';
import { type Group, ServiceError } from '../service.ts';

/** Issues an embed token for one viewer. @throws Skipped if the workspace does not declare what it needs */
async function issueFor(kit: Kit, group: Group, own: object): Promise<string> {
  try {
    return await kit.embedToken(group, own);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 422) throw new Skipped(error.message);
    throw error;
  }
}

/** A viewer of a tenant sees no more than the embed token allows. */
export const viewerChecks: Check[] = [
  {
    id: 'embed-resources',
    title: 'an embed token for another dashboard is refused',
    means:
      'A viewer opens dashboards that the token is not for. Compare `resources` with what is about to be shown.',
    run: async (kit) => {
      const { resource, template } = kit.embed;
      if (!resource) throw new Skipped('needs "embed.resource", which the renderer compares');
      const group = await kit.group(0);
      const other = { ...resource, id: `${resource.id}.other` };
      const both = await issueFor(kit, group, { resources: [other, resource] });
      await kit.control(both, 0, 'an embed token for this and another dashboard', template);
      for (const [what, one] of [
        ['an embed token for another dashboard', other],
        ['an embed token for a resource of another type', { ...resource, type: 'other' }],
      ] as const) {
        const token = await issueFor(kit, group, { resources: [one] });
        await kit.refuses(token, what, template);
      }
    },
  },
  {
    id: 'embed-variables',
    title: 'an embed token with variables shows the rows of its viewer alone',
    means:
      'The renderer takes the variables of the group, and not those of the token, so each viewer sees all rows of the tenant. Use `variables` of the introspection.',
    run: async (kit) => {
      const { viewer, template, isOffline } = kit.embed;
      if (!viewer) throw new Skipped('needs "embed.viewer": variables of a token');
      if (isOffline) throw new Skipped('introspection alone reads variables of a token');
      const { variables, shows } = viewer;
      const group = await kit.group(0);
      const whole = await kit.embedToken(group, { format: 'opaque' });
      await kit.control(whole, 0, 'an opaque embed token without variables', template);
      const token = await issueFor(kit, group, { format: 'opaque', variables });
      const rendering = await kit.renderAtHand(token, template);
      if (isAway(rendering)) throw new NotJudged('an embed token with variables: it stays away');
      kit.mustNotLeak(rendering, 0, 'an embed token with variables');
      const hidden = kit.tenants[0].shows.filter((row) => !shows.includes(row));
      const seen = hidden.filter((row) => rendering.text.includes(row));
      if (seen.length > 0) throw new Failed(`rows of other viewers are shown: ${seen.join(', ')}`);
      const lost = shows.filter((row) => !rendering.text.includes(row));
      if (!isSuccess(rendering.status) || lost.length > 0) {
        throw new Failed(`the rows of the viewer are not shown: ${shows.join(', ')}`);
      }
    },
  },
];

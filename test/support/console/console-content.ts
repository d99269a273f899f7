import { TestJobs } from '../../bulk-job/test-jobs.ts';
import type { ApiClient } from '../api/api-client.ts';
import { until } from '../time/until.ts';

/** The numbers of what has no id of the caller's. */
interface Made {
  dataSource: number;
  webhookEndpoint: number;
  job: number;
}

/** Gives a workspace something on every page of the console for each text, which is its id and its name. */
export async function fillWorkspace(api: ApiClient, texts: readonly string[]): Promise<Made> {
  const made: Made = { dataSource: 0, webhookEndpoint: 0, job: 0 };
  for (const text of texts) {
    // The registry resolves one of the two.
    const mapping = { [text]: text, [`other ${text}`]: text };
    await api.create({ user_group_id: text, name: text, mapping, properties: { [text]: text } });
    const thing = { provided_id: text, name: text };
    await api.call('POST', '/api/v1/schemas', thing);
    const source = await api.call('POST', '/api/v1/data-sources', thing);
    const token = { name: text, scopes: ['audit:read'] };
    await api.call('POST', '/api/v1/api-tokens', token);
    const endpoint = await api.call('POST', '/api/v1/webhook-endpoints', {
      url: `http://127.0.0.2:9/${encodeURIComponent(text)}`,
      description: text,
      event_types: ['user_group.delete'],
    });
    const { data_source } = source.body as unknown as { data_source: { id: number } };
    await api.call('PUT', '/api/v1/targets/tool', {
      kind: 'superset',
      audience: text,
      signing: { alg: 'HS256', keys: [{ id: 'k1', secret: 's'.repeat(32) }] },
      claims: { user: { username: text }, resources: { $: 'resources' } },
      unfiltered: true,
    });
    made.dataSource = data_source.id;
    made.webhookEndpoint = endpoint.body.webhook_endpoint.id;
    const jobs = new TestJobs(api);
    const prefix = `?name_prefix=${encodeURIComponent(text)}`;
    await jobs.ended((await jobs.begin({ action: 'resume' }, prefix)).id);
    // No group has this id, so that it is refused.
    const { id } = await jobs.begin({ action: 'resume', ids: [`no ${text}`.slice(0, 200)] });
    await jobs.ended(id);
    made.job = id;
  }
  return made;
}

/** Every place of the console at which something of a workspace can be seen. */
export function placesOf(groupId: string, made: Made): string[] {
  return [
    '',
    'groups',
    `groups/${encodeURIComponent(groupId)}`,
    'jobs',
    `jobs/${made.job}`,
    'registry/schemas',
    'registry/data-sources',
    'registry/policy',
    `registry/data-sources/${made.dataSource}`,
    'targets',
    'targets/tool',
    'api-tokens',
    'audit',
    'webhooks',
    `webhooks/${made.webhookEndpoint}`,
    'events',
    'sessions',
    'system',
  ];
}

/** Introspects a token, and waits until the activity of the workspace says so. */
export async function introspectOnce(api: ApiClient, token: string): Promise<void> {
  await api.call('POST', '/api/v1/introspect', { token });
  await until(async () => {
    const { text } = await api.call('GET', '/api/v1/overview/activity');
    return /"introspections":[1-9]/.test(text);
  });
}

import { Json } from '../../ui/json.tsx';
import { Text } from '../../ui/text.tsx';
import type { Attempt, Endpoint } from './state.tsx';

/** The message as it was sent, and the beginning of the response. */
export function Message({ attempt, endpoint }: { attempt: Attempt; endpoint: Endpoint }) {
  const headers: [name: string, value: string][] = [
    ['webhook-id', attempt.event_id],
    ['webhook-timestamp', 'the time of the attempt, in seconds'],
    ['webhook-signature', `${endpoint.signature},… of id.timestamp.body`],
    ['content-type', 'application/json'],
    ['user-agent', 'user-group-service'],
    ...endpoint.headers.map((name): [string, string] => [name, 'not shown']),
  ];
  return (
    <>
      <h3>Sent</h3>
      <dl class="headers">
        {headers.map(([name, value]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd class={name === 'webhook-id' ? 'mono' : 'soft'}>{value}</dd>
          </div>
        ))}
      </dl>
      <Json label={`What was sent for ${attempt.event_id}`} text={attempt.body} />
    </>
  );
}

/** The beginning of the response of an attempt. */
export function ResponseText({
  attempt: { event_id, attempt, response, status },
}: {
  attempt: Attempt;
}) {
  if (status === null) return <p class="soft">There was no response.</p>;
  if (response === null) {
    return <p class="soft">The response is not kept, because the endpoint has custom headers.</p>;
  }
  if (response === '') return <p class="soft">The response had no content.</p>;
  return (
    <pre
      class="response"
      tabIndex={0}
      role="region"
      aria-label={`Response ${attempt} for ${event_id}`}
    >
      <Text>{response}</Text>
    </pre>
  );
}

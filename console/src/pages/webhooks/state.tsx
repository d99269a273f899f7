import type { Schemas } from '../../own-types.ts';
import { Badge } from '../../ui/text.tsx';

export type Endpoint = Schemas['WebhookEndpoint'];
export type Attempt = Schemas['WebhookAttempt'];

const REASONS: Record<string, string> = {
  request: 'disabled',
  gone: 'disabled: it responded 410 Gone',
  failing: 'disabled: it failed for too long',
};

export function State({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.enabled) {
    return endpoint.failing_since ? (
      <Badge tone="bad">failing</Badge>
    ) : (
      <Badge tone="good">enabled</Badge>
    );
  }
  const reason = endpoint.disabled_reason ?? 'request';
  return <Badge tone={reason === 'request' ? '' : 'bad'}>{REASONS[reason]}</Badge>;
}

/** A number that may be a bound: `1,000+`. */
export const countOf = ({ count, exact }: Schemas['Total']): string =>
  `${count.toLocaleString()}${exact ? '' : '+'}`;

/** Says what the endpoint has got in the last hour, and what waits. */
export function Health({
  endpoint: { skipping_since, last_hour, waiting },
}: {
  endpoint: Endpoint;
}) {
  const { attempts = 0, delivered = 0 } = last_hour ?? {};
  return (
    <>
      {attempts === 0
        ? 'Nothing sent'
        : `${delivered.toLocaleString()} of ${attempts.toLocaleString()} delivered`}{' '}
      in the last hour
      {waiting && waiting.count > 0 && `, ${countOf(waiting)} waiting`}
      {skipping_since && ', events are left out: too many wait'}
    </>
  );
}

/** The status of a response, or the reason why there was none. */
export function Outcome({
  attempt: { status, failure, delivery, duration_ms },
}: {
  attempt: Attempt;
}) {
  const isTaken = status !== null && status >= 200 && status < 300;
  if (status === null && failure === null) return <Badge>{delivery}</Badge>;
  return (
    <>
      <Badge tone={isTaken ? 'good' : 'bad'}>{status ?? failure?.replaceAll('_', ' ')}</Badge>{' '}
      <span class="soft">{duration_ms.toLocaleString()} ms</span>
    </>
  );
}

export function Types({ types }: { types: string[] }) {
  if (types.length === 0 || types.includes('*')) return <Badge>all events</Badge>;
  return (
    <span class="badges">
      {types.map((type) => (
        <Badge key={type}>{type}</Badge>
      ))}
    </span>
  );
}

import type { Schemas } from '../../own-types.ts';
import { Badge } from '../../ui/text.tsx';

export type Endpoint = Schemas['WebhookEndpoint'];

const REASONS: Record<string, string> = {
  request: 'off',
  gone: 'off: it answered 410 Gone',
  failing: 'off: it failed for too long',
};

export function State({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.enabled) return <Badge tone="good">on</Badge>;
  const reason = endpoint.disabled_reason ?? 'request';
  return <Badge tone={reason === 'request' ? '' : 'bad'}>{REASONS[reason]}</Badge>;
}

export function EventTypes({ types }: { types: string[] }) {
  if (types.length === 0 || types.includes('*')) return <Badge>all events</Badge>;
  return (
    <span class="badges">
      {types.map((type) => (
        <Badge key={type}>{type}</Badge>
      ))}
    </span>
  );
}

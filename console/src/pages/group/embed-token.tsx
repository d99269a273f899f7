import { useMemo, useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { groupCall } from '../../curl.ts';
import { useLoad } from '../../load.ts';
import { may } from '../../session.ts';
import { DialogForm, Secret } from '../../ui/dialog.tsx';
import { Choice, TextField } from '../../ui/fields.tsx';
import { Json } from '../../ui/json.tsx';
import { Text, Time } from '../../ui/text.tsx';

/** The maximum of the API; less for somebody who views as the group. */
const MAX_MINUTES = 1440;
const MAX_MINUTES_OF_SUPPORT = 15;

/** The claims of a JWT as JSON text. Nothing is verified: the service has just issued it. */
function claimsOf(jwt: string): string {
  const payload = jwt.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
  return new TextDecoder().decode(Uint8Array.from(atob(payload), (one) => one.charCodeAt(0)));
}

/** Issues an embed token, for a page or for somebody who looks as the group, and shows it with its claims. */
export function EmbedToken({ id, onClose }: { id: string; onClose: () => void }) {
  const mayIssue = may('embed-tokens:issue');
  const maySupport = may('user-groups:view-as');
  const [audience, setAudience] = useState('');
  const [origin, setOrigin] = useState('');
  const [minutes, setMinutes] = useState('10');
  const [isSupport, setSupport] = useState(!mayIssue);
  const [subject, setSubject] = useState('');
  const [reason, setReason] = useState('');
  const [issued, setIssued] = useState<{ token: string; expires_at: string }>();
  const { data: workspace } = useLoad(
    async (signal) =>
      may('registry:read')
        ? (await dataOf(api.GET('/api/v1/workspace', { signal }))).workspace
        : undefined,
    [],
  );
  const body = {
    audience,
    expires_in_seconds: Math.round(Number(minutes) * 60),
    ...(origin && { origin }),
    ...(isSupport && { acting_for: { subject, reason } }),
  };
  // Constant across retries of the same call.
  const key = useMemo(() => crypto.randomUUID(), [JSON.stringify(body)]);
  if (issued) {
    return (
      <Secret title="The embed token" secret={issued.token} onClose={onClose}>
        <p>
          For <Text>{audience}</Text>, until <Time at={issued.expires_at} />. Its claims:
        </p>
        <Json label="Claims" text={claimsOf(issued.token)} />
      </Secret>
    );
  }
  const isForbidden = workspace?.view_as === 'forbidden';
  return (
    <DialogForm
      title="Issue an embed token"
      submit="Issue"
      onClose={onClose}
      call={() => groupCall('POST', id, '/embed-tokens', { body: JSON.stringify(body) })}
      onSubmit={async () => {
        const params = { path: { id }, header: { 'Idempotency-Key': key } };
        setIssued(
          (await dataOf(api.POST('/api/v1/user-groups/{id}/embed-tokens', { params, body })))
            .embed_token,
        );
      }}
    >
      <p>
        A short-lived token that a page passes to a renderer in place of the token of the group.
      </p>
      <TextField
        label="Audience"
        hint="The name of the renderer that accepts it, such as its address."
        pointer="/audience"
        list={workspace?.embed_token_audiences}
        required
        autofocus
        spellcheck={false}
        value={audience}
        onChange={setAudience}
      />
      <TextField
        label="Origin"
        hint="Optional. The page that embeds the dashboard: https://app.example.com"
        pointer="/origin"
        spellcheck={false}
        value={origin}
        onChange={setOrigin}
      />
      <TextField
        label="Minutes"
        pointer="/expires_in_seconds"
        type="number"
        required
        min={1}
        max={isSupport ? MAX_MINUTES_OF_SUPPORT : MAX_MINUTES}
        value={minutes}
        onChange={setMinutes}
      />
      {maySupport && (
        <Choice
          isOn={isSupport}
          disabled={!mayIssue || (isForbidden && !isSupport)}
          onChange={setSupport}
        >
          For support: somebody views as this group
        </Choice>
      )}
      {isForbidden && maySupport && (
        <p class="hint">The workspace forbids that anybody views as a user group.</p>
      )}
      {isSupport && (
        <>
          <TextField
            label="Who looks"
            hint="Renderers show it, and a browser can read it."
            pointer="/acting_for/subject"
            required
            value={subject}
            onChange={setSubject}
          />
          <TextField
            label="Why"
            hint="Only the audit log has it."
            pointer="/acting_for/reason"
            required
            value={reason}
            onChange={setReason}
          />
        </>
      )}
    </DialogForm>
  );
}

import { useMemo, useState } from 'preact/hooks';
import { api, dataOf } from '../../api.ts';
import { groupCall } from '../../curl.ts';
import { decodeJwt } from '../../jwt.ts';
import { useLoad } from '../../load.ts';
import type { Schemas } from '../../own-types.ts';
import { has, may } from '../../session.ts';
import { DialogForm, Secret } from '../../ui/dialog.tsx';
import { Choice, Overall, Select, TextField } from '../../ui/fields.tsx';
import { Json } from '../../ui/json.tsx';
import { Text, Time } from '../../ui/text.tsx';
import { useViewer } from './viewer.tsx';

/** The maximum of the API; less for somebody who views as the group. */
const MAX_MINUTES = 1440;
const MAX_MINUTES_OF_SUPPORT = 15;

type Target = Pick<Schemas['TargetView'], 'name' | 'max_seconds'>;
type Format = 'jwt' | 'opaque';

const FORMATS: [Format, string][] = [
  ['jwt', 'jwt: signed, a browser can read it'],
  ['opaque', 'opaque: encrypted, only introspection reads it'],
];

/** Reads what the form offers, as far as the person may know it. */
async function readOffers(isOfTarget: boolean, signal: AbortSignal) {
  const [workspace, targets, groups] = await Promise.all([
    may('registry:read') ? dataOf(api.GET('/api/v1/workspace', { signal })) : undefined,
    !isOfTarget && has('targets') && may('targets:read')
      ? dataOf(api.GET('/api/v1/targets', { params: { query: { limit: 50 } }, signal }))
      : undefined,
    isOfTarget && may('user-groups:read')
      ? dataOf(api.GET('/api/v1/user-groups', { params: { query: { limit: 100 } }, signal }))
      : undefined,
  ]);
  return {
    workspace: workspace?.workspace,
    targets: targets?.targets ?? [],
    groups: groups?.user_groups.map(({ provided_id: id }) => id),
  };
}

/**
 * Issues an embed token, or the token of a target, for a page or for somebody who looks as the group, and shows what is in it.
 * @param id the group; without it the person names one
 * @param target the only target that it issues for
 */
export function EmbedToken({
  id,
  target: only,
  onClose,
}: {
  id?: string;
  target?: Target;
  onClose: () => void;
}) {
  const mayIssue = may('embed-tokens:issue');
  const maySupport = may('user-groups:view-as');
  const [group, setGroup] = useState(id ?? '');
  const [chosen, setChosen] = useState('');
  const [audience, setAudience] = useState('');
  const [origin, setOrigin] = useState('');
  const [format, setFormat] = useState<Format>('jwt');
  const [minutes, setMinutes] = useState('10');
  const [isSupport, setSupport] = useState(!mayIssue);
  const [subject, setSubject] = useState('');
  const [reason, setReason] = useState('');
  const [issued, setIssued] = useState<Schemas['EmbedToken']>();
  const { data } = useLoad((signal) => readOffers(only !== undefined, signal), []);
  const viewer = useViewer(data?.workspace?.variables ?? []);
  const target = only ?? data?.targets.find(({ name }) => name === chosen);
  const body = {
    ...(target
      ? { target: target.name }
      : {
          audience,
          expires_in_seconds: Math.round(Number(minutes) * 60),
          ...(origin && { origin }),
          ...(format !== 'jwt' && { format }),
        }),
    ...viewer.body,
    ...(isSupport && { acting_for: { subject, reason } }),
  };
  // The controls differ once the offers are there, although nobody has written anything.
  const written = JSON.stringify([group, chosen, audience, minutes, isSupport, body]);
  const [begun] = useState(written);
  // Constant across retries of the same call.
  const key = useMemo(() => crypto.randomUUID(), [group, JSON.stringify(body)]);
  if (issued) return <Issued issued={issued} audience={audience} onClose={onClose} />;
  const isForbidden = data?.workspace?.view_as === 'forbidden';
  return (
    <DialogForm
      title={only ? `Try the target ${only.name}` : 'Issue an embed token'}
      submit="Issue"
      isChanged={written !== begun}
      onClose={onClose}
      call={() => groupCall('POST', group, '/embed-tokens', { body: JSON.stringify(body) })}
      onSubmit={async () => {
        const params = { path: { id: group }, header: { 'Idempotency-Key': key } };
        setIssued(
          (await dataOf(api.POST('/api/v1/user-groups/{id}/embed-tokens', { params, body })))
            .embed_token,
        );
      }}
    >
      {id === undefined ? (
        <TextField
          label="User group"
          hint="Your own id of the group."
          pointer="id"
          list={data?.groups}
          required
          autofocus
          spellcheck={false}
          value={group}
          onChange={setGroup}
        />
      ) : (
        <p>
          A short-lived token that a page passes to a renderer in place of the token of the group.
        </p>
      )}
      {!only && data && data.targets.length > 0 && (
        <Select
          label="Token for"
          options={[
            ['', 'a renderer that knows this service'],
            ...data.targets.map(({ name }) => [name, `the target ${name}`] as [string, string]),
          ]}
          value={chosen}
          onChange={setChosen}
        />
      )}
      {target ? (
        <p class="note">
          Valid for {target.max_seconds} seconds at most. It cannot be revoked: nothing ends it
          before it expires.
        </p>
      ) : (
        <>
          <TextField
            label="Audience"
            hint="The name of the renderer that accepts it, such as its address."
            pointer="/audience"
            list={data?.workspace?.embed_token_audiences}
            required
            autofocus
            spellcheck={false}
            value={audience}
            onChange={setAudience}
          />
          <TextField
            label="Origin"
            hint="Optional: the page that embeds it, such as https://app.example.com"
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
          <Select
            label="Format"
            options={FORMATS}
            value={format}
            onChange={(one) => {
              setFormat(one as Format);
            }}
          />
          <Overall at="/format" />
        </>
      )}
      {viewer.fields}
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

/** Shows a token with what is in it, as far as it can be read. */
function Issued({
  issued,
  audience,
  onClose,
}: {
  issued: Schemas['EmbedToken'];
  audience: string;
  onClose: () => void;
}) {
  const { token, target, expires_at, expires_in } = issued;
  // The encrypted form has five parts (RFC 7516).
  const [header, claims] = token.split('.').length === 3 ? decodeJwt(token) : [];
  return (
    <Secret
      title={target ? `The token of the target ${target}` : 'The embed token'}
      secret={token}
      onClose={onClose}
    >
      <p>
        {!target && (
          <>
            For <Text>{audience}</Text>, until
          </>
        )}
        {target && 'It cannot be revoked: nothing ends it before'} <Time at={expires_at} />, in{' '}
        {expires_in} seconds.{' '}
        {claims ? 'Its header and its claims:' : 'Only introspection reads it.'}
      </p>
      {claims && (
        <>
          <Json label="Header" text={header!} />
          <Json label="Claims" text={claims} />
        </>
      )}
    </Secret>
  );
}

import { useState } from 'preact/hooks';
import { api, dataOf, Refusal } from '../../api.ts';
import { complaintAbout, layOut } from '../../json-text.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { Choice, Lines, Select, Overall, TextField } from '../../ui/fields.tsx';
import { notify } from '../../ui/notices.tsx';
import { type KeyDraft, Keys, toKeys } from './keys.tsx';
import { FILTERS, type Kind, KINDS, UNFILTERED } from './kinds.ts';
import type { Known } from './target.ts';

type Alg = 'HS256' | 'RS256' | 'ES256';

const ALGORITHMS = ['HS256', 'RS256', 'ES256'].map((one): [string, string] => [one, one]);
const TOOLS = Object.entries(KINDS).map(([kind, { name }]): [string, string] => [kind, name]);

/** Declares a target, or replaces the one that the person has seen. */
export function TargetForm({
  known,
  onClose,
  onDone,
}: {
  known?: Known;
  onClose: () => void;
  onDone: (name: string) => void | Promise<void>;
}) {
  // The page reloads behind the dialog; the fields and the ETag stay those that the person has seen.
  const [before] = useState(known);
  const target = before?.target;
  const [name, setName] = useState(target?.name ?? '');
  const [kind, setKind] = useState<Kind>(target?.kind ?? 'superset');
  const [audience, setAudience] = useState(target?.audience ?? '');
  const [seconds, setSeconds] = useState(String(target?.max_seconds ?? ''));
  const [alg, setAlg] = useState<Alg>(target?.signing?.alg ?? 'HS256');
  const [keys, setKeys] = useState<KeyDraft[]>(
    target?.signing?.keys.map(({ id }) => ({ id, secret: '', isStored: true })) ?? [
      { id: 'k1', secret: '', isStored: false },
    ],
  );
  const [domain, setDomain] = useState(target?.email_domain ?? '');
  const [claims, setClaims] = useState(layOut(before?.claims ?? KINDS[kind].claims));
  const [filters, setFilters] = useState(layOut(before?.filters ?? FILTERS));
  const [isUnfiltered, setUnfiltered] = useState(target?.unfiltered ?? false);
  const form = KINDS[kind];
  const isSuperset = kind === 'superset';
  const wrong = {
    claims: complaintAbout(claims),
    filters: isSuperset ? complaintAbout(`{"row_filters":${filters}}`) : undefined,
  };
  const algorithm = kind === 'jwt' ? alg : 'HS256';
  const fields = {
    kind,
    ...(audience && form.audience !== null && { audience }),
    ...(seconds && { max_seconds: Number(seconds) }),
    ...(kind !== 'grafana' && {
      signing: { alg: algorithm, keys: toKeys(keys, algorithm === 'HS256') },
    }),
    ...(kind === 'metabase-sso' && { email_domain: domain }),
    ...(form.unfiltered && isUnfiltered && { unfiltered: true }),
  };
  // Numbers are sent as they are written.
  const body = `${JSON.stringify(fields).slice(0, -1)},"claims":${claims}${isSuperset ? `,"row_filters":${filters}` : ''}}`;
  return (
    <DialogForm
      wide
      title={target ? `Edit ${target.name}` : 'New target'}
      submit={target ? 'Save' : 'Create'}
      disabled={Boolean(wrong.claims ?? wrong.filters)}
      onClose={onClose}
      explain={(error) =>
        error instanceof Refusal &&
        error.problem.code === 'precondition_failed' && (
          <p class="note warn" role="alert">
            {before
              ? 'Somebody else has changed this target. Nothing is saved: copy your text, and edit it again.'
              : 'There is a target of this name. Choose another name.'}
          </p>
        )
      }
      onSubmit={async () => {
        const header = before ? { 'If-Match': before.etag } : { 'If-None-Match': '*' };
        const params = { path: { name }, header };
        await dataOf(
          api.PUT('/api/v1/targets/{name}', {
            params,
            body: fields,
            bodySerializer: () => body,
          }),
        );
        await onDone(name);
        notify('Saved');
      }}
    >
      {!target && (
        <>
          <TextField
            label="Name"
            hint="1–64 of a–z, 0–9 and “-”."
            pointer="name"
            required
            autofocus
            spellcheck={false}
            value={name}
            onChange={setName}
          />
          <Select
            label="Tool"
            options={TOOLS}
            value={kind}
            onChange={(one) => {
              const next = one as Kind;
              setKind(next);
              if (claims === layOut(form.claims)) setClaims(layOut(KINDS[next].claims));
            }}
          />
        </>
      )}
      {form.audience !== null && (
        <TextField
          label="Audience"
          hint="The claim aud: the name of the tool."
          pointer="/audience"
          required={form.audience}
          spellcheck={false}
          value={audience}
          onChange={setAudience}
        />
      )}
      <TextField
        label="Seconds"
        hint="Nothing ends a token sooner."
        pointer="/max_seconds"
        type="number"
        min={1}
        max={3600}
        placeholder={kind === 'metabase-sso' ? '180' : '300'}
        value={seconds}
        onChange={setSeconds}
      />
      {kind === 'metabase-sso' && (
        <TextField
          label="Domain of addresses"
          hint="A host, such as groups.example.com."
          pointer="/email_domain"
          required
          spellcheck={false}
          value={domain}
          onChange={setDomain}
        />
      )}
      {kind === 'jwt' && (
        <Select
          label="Algorithm"
          options={ALGORITHMS}
          value={alg}
          onChange={(next) => {
            setAlg(next as Alg);
            setKeys(keys.map((one) => ({ ...one, secret: '', isStored: false })));
          }}
        />
      )}
      {kind === 'grafana' ? (
        <p class="hint">The key of the workspace signs.</p>
      ) : (
        <Keys keys={keys} isShared={algorithm === 'HS256'} onChange={setKeys} />
      )}
      <Lines
        label="Claims, as JSON"
        hint="An object with $ copies a value: variables.<name>, sub, team_id, user.key, user.name, resources, resource.<type>, mapping.<schema>."
        pointer="/claims"
        parts
        error={wrong.claims}
        rows={8}
        value={claims}
        onChange={setClaims}
      />
      {isSuperset && (
        <Lines
          label="Row filters, as JSON"
          hint="A dataset that no filter names is shown whole."
          pointer="/row_filters"
          parts
          error={wrong.filters}
          rows={8}
          value={filters}
          onChange={setFilters}
        />
      )}
      {form.unfiltered && (
        <>
          <Choice isOn={isUnfiltered} onChange={setUnfiltered}>
            {UNFILTERED}
          </Choice>
          <Overall at="/unfiltered" />
        </>
      )}
    </DialogForm>
  );
}

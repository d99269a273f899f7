import { useState } from 'preact/hooks';
import type { Scope } from '../../own-types.ts';
import { may, session } from '../../session.ts';
import { Field, TextField } from '../../ui/fields.tsx';
import { isOwn, OWN_SCOPES, SCOPES } from './scopes.tsx';

interface Grant {
  name: string;
  scopes: Scope[];
  allowed_cidrs: string[] | null;
  expires_at: string | null;
}

/** A time in the format of its control: in the reader's zone, to the minute. */
function localMinute(at: string | null): string {
  if (!at) return '';
  const moment = new Date(at);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The fields of a grant, their values, and the changes to the original. */
export function useGrant(begin: Grant) {
  const [name, setName] = useState(begin.name);
  const [scopes, setScopes] = useState<Scope[]>(begin.scopes);
  const [cidrs, setCidrs] = useState((begin.allowed_cidrs ?? []).join('\n'));
  const [expires, setExpires] = useState(localMinute(begin.expires_at));
  const ranges = cidrs.split(/[\s,]+/).filter(Boolean);
  const offered = new Set([...OWN_SCOPES, ...begin.scopes, ...(session.value?.scopes ?? [])]);
  const grant: Grant = {
    name,
    scopes,
    allowed_cidrs: ranges.length > 0 ? ranges : null,
    expires_at: expires ? new Date(expires).toISOString() : null,
  };
  const isChanged = {
    name: name !== begin.name,
    scopes: scopes.length !== begin.scopes.length || scopes.some((scope) => !begin.scopes.includes(scope)),
    allowed_cidrs: ranges.join() !== (begin.allowed_cidrs ?? []).join(),
    expires_at: expires !== localMinute(begin.expires_at),
  };
  const changes: Partial<Grant> = Object.fromEntries(
    Object.entries(grant).filter(([field]) => isChanged[field as keyof Grant]),
  );
  const fields = (
    <>
      <TextField
        label="Name"
        hint="What it is for, and who uses it."
        required
        autofocus
        value={name}
        onChange={setName}
      />
      <fieldset>
        <legend class="legend">Scopes</legend>
        <div class="scopes">
          {[...offered].map((scope) => (
            <label key={scope} class="choice">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                disabled={!may(scope) && !begin.scopes.includes(scope)}
                onChange={(event) => {
                  const others = scopes.filter((one) => one !== scope);
                  setScopes(event.currentTarget.checked ? [...others, scope] : others);
                }}
              />
              <span>
                <code>{scope}</code> <span class="soft">{isOwn(scope) ? SCOPES[scope] : 'of a plugin'}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <TextField
        label="Expires"
        hint="In your zone. Empty: never."
        type="datetime-local"
        value={expires}
        onChange={setExpires}
      />
      <Field label="Only from these addresses" hint="CIDR ranges, one a line. Empty: from anywhere.">
        {(ties) => (
          <textarea
            {...ties}
            rows={2}
            spellcheck={false}
            placeholder="10.0.0.0/8"
            value={cidrs}
            onInput={(event) => {
              setCidrs(event.currentTarget.value);
            }}
          />
        )}
      </Field>
    </>
  );
  return { grant, changes, fields };
}

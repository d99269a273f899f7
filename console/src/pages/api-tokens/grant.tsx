import { useState } from 'preact/hooks';
import type { Schemas, Scope } from '../../own-types.ts';
import { may, session } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Choice, Lines, TextField } from '../../ui/fields.tsx';
import { localMinute, momentOf, zone } from '../../ui/local-time.ts';
import { isOwn, OWN_SCOPES, PRESETS, SCOPES } from './scopes.tsx';

const EXPIRIES: [label: string, days: number][] = [
  ['30 days', 30],
  ['90 days', 90],
  ['1 year', 365],
  ['Never', 0],
];

interface Grant {
  name: string;
  scopes: Scope[];
  allowed_cidrs: string[] | null;
  user_groups: Schemas['UserGroupRange'] | null;
  expires_at: string | null;
}

/** Writes ids as lines, and properties as JSON. */
export const textOf = (range: Schemas['UserGroupRange'] | null): string =>
  range?.ids?.join('\n') ?? (range ? JSON.stringify(range.where) : '');

/** Reads what {@link textOf} writes. The service refuses properties that are no JSON. */
function rangeOf(text: string): Schemas['UserGroupRange'] | null {
  if (!text.trimStart().startsWith('{')) {
    const ids = text.split('\n').filter(Boolean);
    return ids.length > 0 ? { ids } : null;
  }
  try {
    return { where: JSON.parse(text) as Record<string, unknown> };
  } catch {
    return { where: text as never };
  }
}

/** The fields of a grant, their values, and the changes to the original. */
export function useGrant(begin: Grant) {
  const [name, setName] = useState(begin.name);
  const [scopes, setScopes] = useState<Scope[]>(begin.scopes);
  const [cidrs, setCidrs] = useState((begin.allowed_cidrs ?? []).join('\n'));
  const range = begin.user_groups;
  const [groups, setGroups] = useState(textOf(range));
  const user_groups = rangeOf(groups);
  const expiry = begin.expires_at ? localMinute(Date.parse(begin.expires_at)) : '';
  const [expires, setExpires] = useState(expiry);
  const ranges = cidrs.split(/[\s,]+/).filter(Boolean);
  const offered = new Set([...OWN_SCOPES, ...begin.scopes, ...(session.value?.scopes ?? [])]);
  const grant: Grant = {
    name,
    scopes,
    allowed_cidrs: ranges.length > 0 ? ranges : null,
    user_groups,
    expires_at: momentOf(expires),
  };
  const isChanged = {
    name: name !== begin.name,
    scopes:
      scopes.length !== begin.scopes.length ||
      scopes.some((scope) => !begin.scopes.includes(scope)),
    user_groups: groups !== textOf(range),
    allowed_cidrs: ranges.join() !== (begin.allowed_cidrs ?? []).join(),
    expires_at: expires !== expiry,
  };
  const changes: Partial<Grant> = Object.fromEntries(
    Object.entries(grant).filter(([field]) => isChanged[field as keyof Grant]),
  );
  const fields = (
    <>
      <TextField
        label="Name"
        hint="What it is for, and who uses it."
        pointer="/name"
        required
        autofocus
        value={name}
        onChange={setName}
      />
      <fieldset>
        <legend class="legend">Scopes</legend>
        <div class="actions presets" role="group" aria-label="Presets">
          {PRESETS.map(([preset, choose]) => {
            const chosen = choose(OWN_SCOPES);
            return (
              <Button
                key={preset}
                aria-pressed={
                  chosen.length === scopes.length && chosen.every((scope) => scopes.includes(scope))
                }
                disabled={!chosen.every(may)}
                onClick={() => {
                  setScopes(chosen);
                }}
              >
                {preset}
              </Button>
            );
          })}
        </div>
        <div class="scopes">
          {[...offered].map((scope) => (
            <Choice
              key={scope}
              isOn={scopes.includes(scope)}
              disabled={!may(scope) && !begin.scopes.includes(scope)}
              onChange={(isOn) => {
                const others = scopes.filter((one) => one !== scope);
                setScopes(isOn ? [...others, scope] : others);
              }}
            >
              <code>{scope}</code>{' '}
              <span class="soft">{isOwn(scope) ? SCOPES[scope] : 'of a plugin'}</span>
            </Choice>
          ))}
        </div>
      </fieldset>
      <TextField
        label="Expires"
        hint={`In ${zone()}. Leave empty for no expiry.`}
        pointer="/expires_at"
        type="datetime-local"
        value={expires}
        onChange={setExpires}
      />
      <div class="actions presets" role="group" aria-label="Expires in">
        {EXPIRIES.map(([label, days]) => (
          <Button
            key={label}
            onClick={() => {
              setExpires(days === 0 ? '' : localMinute(Date.now() + days * 86_400_000));
            }}
          >
            {label}
          </Button>
        ))}
      </div>
      <Lines
        label="Only these user groups"
        hint="Ids, one a line, or properties as JSON. Empty means all."
        pointer="/user_groups"
        placeholder='{"environment": "staging"}'
        value={groups}
        onChange={setGroups}
      />
      <Lines
        label="Allowed IP ranges"
        hint="CIDR ranges, one a line. Leave empty for any address."
        pointer="/allowed_cidrs"
        parts={ranges}
        placeholder="10.0.0.0/8"
        value={cidrs}
        onChange={setCidrs}
      />
    </>
  );
  return { grant, changes, fields };
}

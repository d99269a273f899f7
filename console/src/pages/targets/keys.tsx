import type { Schemas } from '../../own-types.ts';
import { Button } from '../../ui/button.tsx';
import { Lines, Overall, TextField } from '../../ui/fields.tsx';

/** A key as the form has it. */
export interface KeyDraft {
  id: string;
  /** Empty for the stored one. */
  secret: string;
  /** Whether the service has its secret. */
  isStored: boolean;
}

/** Returns the keys as the API takes them. */
export function toKeys(keys: KeyDraft[], isShared: boolean): Schemas['TargetKeyRequest'][] {
  return keys.map(({ id, secret }) => ({
    id,
    ...(secret && (isShared ? { secret } : { private_key: secret })),
  }));
}

/** One key, or two while one replaces the other. Stored secrets are never shown. */
export function Keys({
  keys,
  isShared,
  onChange,
}: {
  keys: KeyDraft[];
  /** Whether the tool has the same secret. */
  isShared: boolean;
  onChange: (keys: KeyDraft[]) => void;
}) {
  return (
    <fieldset>
      <legend class="legend">Keys</legend>
      <p class="hint">
        The first one signs. To replace it, add another, teach it to the tool, let it sign, and
        remove the old one.
      </p>
      <Overall at="/signing" />
      <Overall at="/signing/keys" />
      {keys.map((key, index) => {
        const place = `/signing/keys/${index}`;
        const change = (part: Partial<KeyDraft>) => {
          onChange(keys.map((one, at) => (at === index ? { ...one, ...part } : one)));
        };
        const ofSecret = {
          hint: key.isStored ? 'Empty: the stored one stays. It is never shown.' : undefined,
          value: key.secret,
          onChange: (secret: string) => {
            change({ secret });
          },
        };
        return (
          <div key={index}>
            <TextField
              label={`Name of key ${index + 1}`}
              pointer={`${place}/id`}
              required
              spellcheck={false}
              value={key.id}
              onChange={(id) => {
                change({ id, isStored: false });
              }}
            />
            {isShared ? (
              <TextField
                label={`Secret ${index + 1}`}
                pointer={`${place}/secret`}
                type="password"
                autocomplete="off"
                required={!key.isStored}
                {...ofSecret}
              />
            ) : (
              <Lines
                label={`Private key ${index + 1}, in PEM`}
                pointer={`${place}/private_key`}
                {...ofSecret}
              />
            )}
            {keys.length > 1 && (
              <div class="actions">
                {index > 0 && (
                  <Button
                    onClick={() => {
                      onChange(keys.toReversed());
                    }}
                  >
                    Let it sign
                  </Button>
                )}
                <Button
                  onClick={() => {
                    onChange(keys.filter((_, at) => at !== index));
                  }}
                >
                  Remove key {index + 1}
                </Button>
              </div>
            )}
          </div>
        );
      })}
      {keys.length < 2 && (
        <Button
          icon="plus"
          onClick={() => {
            onChange([...keys, { id: '', secret: '', isStored: false }]);
          }}
        >
          Second key
        </Button>
      )}
    </fieldset>
  );
}

import { Choice as Checkbox, TextField } from '../../ui/fields.tsx';
import { actions, isEvent } from '../audit/sentence.ts';

const ALL = '*';

/** The types of events of the service itself, by their noun; plugins may add others. */
const TYPES = new Map<string, string[]>();
for (const type of actions) {
  const noun = type.split('.')[0]!;
  if (isEvent(type)) TYPES.set(noun, [...(TYPES.get(noun) ?? []), type]);
}

const isKnown = (pattern: string) =>
  actions.some((type) => type === pattern || allOf(type.split('.')[0]!) === pattern);

const allOf = (noun: string) => `${noun}.*`;

/** A choice of types of events. “All of them” keeps the single types that were chosen. */
interface Choice {
  isAll: boolean;
  known: string[];
  /** The text as it is typed. */
  others: string;
}

export function choiceOf(patterns: string[]): Choice {
  return {
    isAll: patterns.includes(ALL),
    known: patterns.filter(isKnown),
    others: patterns.filter((one) => one !== ALL && !isKnown(one)).join(' '),
  };
}

/** The patterns of the API for a choice. */
export function patternsOf({ isAll, known, others }: Choice): string[] {
  return isAll ? [ALL] : [...new Set([...known, ...others.split(/[\s,]+/).filter(Boolean)])];
}

export function EventTypes({
  value,
  onChange,
}: {
  value: Choice;
  onChange: (choice: Choice) => void;
}) {
  const { isAll, known, others } = value;
  const set = (patterns: string[], isOn: boolean, without: string[] = []) => {
    const kept = known.filter((one) => !patterns.includes(one) && !without.includes(one));
    onChange({ ...value, known: isOn ? [...kept, ...patterns] : kept });
  };
  return (
    <fieldset class="event-types">
      <legend class="legend">Events</legend>
      <div class="choices">
        {[true, false].map((is) => (
          <label key={String(is)} class="choice">
            <input
              type="radio"
              name="event-types"
              checked={isAll === is}
              onChange={() => {
                onChange({ ...value, isAll: is });
              }}
            />
            {is ? 'All events, also future types' : 'Only these'}
          </label>
        ))}
      </div>
      {!isAll && (
        <>
          <div class="event-groups">
            {[...TYPES].map(([noun, types]) => (
              <Group key={noun} noun={noun} types={types} value={known} set={set} />
            ))}
          </div>
          <TextField
            label="Other types"
            hint="Those of plugins, or patterns such as *.delete, separated by spaces."
            pointer="/event_types"
            parts={patternsOf(value)}
            spellcheck={false}
            value={others}
            onChange={(text) => {
              onChange({ ...value, others: text });
            }}
          />
          {patternsOf(value).length === 0 && <p class="hint">Choose at least one type.</p>}
        </>
      )}
    </fieldset>
  );
}

function Group({
  noun,
  types,
  value,
  set,
}: {
  noun: string;
  types: string[];
  value: string[];
  set: (patterns: string[], isOn: boolean, without?: string[]) => void;
}) {
  const all = allOf(noun);
  const hasAll = value.includes(all);
  const chosen = types.filter((type) => value.includes(type)).length;
  return (
    <details open={hasAll || chosen > 0}>
      <summary>
        <span class="sentence">{noun.replaceAll('_', ' ')}</span>{' '}
        <span class="soft">
          {hasAll ? 'all' : chosen > 0 ? `${chosen} of ${types.length}` : 'none'}
        </span>
      </summary>
      <Checkbox
        isOn={hasAll}
        onChange={(isOn) => {
          set([all], isOn, types);
        }}
      >
        All of <code>{all}</code>
      </Checkbox>
      {types.map((type) => (
        <Checkbox
          key={type}
          isOn={hasAll || value.includes(type)}
          disabled={hasAll}
          onChange={(isOn) => {
            set([type], isOn);
          }}
        >
          <code>{type}</code>
        </Checkbox>
      ))}
    </details>
  );
}

import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { Text } from '../ui/text.tsx';
import { Trouble } from '../ui/trouble.tsx';
import { mayBeToken } from '../router.ts';
import { find, type Offer, offerAtOnce, type Option } from './options.ts';

/** A pause in typing. */
const WAIT = 150;

/** One box for an id, a name, a token, or the id of a request. */
export default function Finder({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<Offer & { of: string; error?: unknown }>({
    of: '',
    options: [],
  });
  /** The key of the option that Enter opens; the first at the beginning. */
  const [chosen, setChosen] = useState('');
  /** Whether Enter was pressed before the options of the text were there. */
  const isEntered = useRef(false);
  const list = useId();
  const wanted = text.trim();
  const isSearched = wanted !== '' && !mayBeToken(wanted);
  const isBusy = isSearched && found.of !== wanted;
  const atOnce = offerAtOnce(wanted);
  const options = isSearched
    ? [...(found.of === wanted ? found.options : []), ...atOnce.options]
    : atOnce.options;
  const at = Math.max(
    0,
    options.findIndex(({ key }) => key === chosen),
  );
  const open = (option: Option) => {
    onClose();
    option.open();
  };
  useEffect(() => {
    setChosen('');
    if (!isSearched) {
      const [first] = atOnce.options;
      if (isEntered.current && first) open(first);
      return undefined;
    }
    const ending = new AbortController();
    const timer = setTimeout(() => {
      const look = async () => {
        for await (const offer of find(wanted, ending.signal)) {
          if (ending.signal.aborted) return;
          const [first] = offer.options;
          if (isEntered.current && first) {
            open(first);
            return;
          }
          setFound({ ...offer, of: wanted });
        }
      };
      look().catch((error: unknown) => {
        if (!ending.signal.aborted) setFound({ of: wanted, options: [], error });
      });
    }, WAIT);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [wanted]);
  const current = options[at];
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined && options.length > 0) {
      setChosen(options[(at + step + options.length) % options.length]!.key);
    } else if (event.key !== 'Enter') return;
    else if (current && !isBusy && event.currentTarget.value === text) open(current);
    else isEntered.current = true;
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const note = isSearched ? (isBusy ? 'Searching…' : found.note) : atOnce.note;
  return (
    <Dialog title="Find" onClose={onClose}>
      <div class="finder">
        <div class="search">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-label="An id, a name, a token, or the id of a request"
            aria-expanded={options.length > 0}
            aria-controls={list}
            aria-autocomplete="list"
            aria-activedescendant={current && `${list}-${at}`}
            placeholder="An id, a name, a token, or the id of a request"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => {
              isEntered.current = false;
              setText(event.currentTarget.value);
            }}
            onKeyDown={press}
          />
        </div>
        <ul id={list} role="listbox" aria-label="Found">
          {options.map((option, index) => (
            <li
              key={option.key}
              id={`${list}-${index}`}
              role="option"
              aria-selected={index === at}
              onPointerMove={() => {
                setChosen(option.key);
              }}
              onClick={() => {
                open(option);
              }}
            >
              <Icon name={option.icon} />
              <span class="finder-name">
                <Text>{option.name}</Text>
              </span>
              {option.about !== undefined && (
                <span class="finder-about">
                  <Text>{option.about}</Text>
                </span>
              )}
            </li>
          ))}
        </ul>
        {!isBusy && isSearched && <Trouble error={found.error} />}
        <p class="hint" role="status">
          {note}
        </p>
      </div>
    </Dialog>
  );
}

import { useState } from 'preact/hooks';
import { TextField } from '../../ui/fields.tsx';
import { choiceOf, EventTypes, patternsOf } from './event-types.tsx';
import { type HeaderRow, Headers, toHeaders } from './headers.tsx';

interface Begin {
  url: string;
  description: string | null;
  event_types: string[];
  headers: string[];
}

/** The fields of an endpoint's form, and its request body; it is complete once some type of event is chosen. */
export function useEndpointFields(begin: Begin) {
  const [url, setUrl] = useState(begin.url);
  const [description, setDescription] = useState(begin.description ?? '');
  const [choice, setChoice] = useState(choiceOf(begin.event_types));
  const [headers, setHeaders] = useState<HeaderRow[] | undefined>(
    begin.headers.length > 0 ? undefined : [],
  );
  const fields = (
    <>
      <TextField
        label="URL"
        hint="https, reachable from the internet."
        type="url"
        required
        autofocus
        spellcheck={false}
        placeholder="https://hooks.example.com/groups"
        pointer="/url"
        value={url}
        onChange={setUrl}
      />
      <TextField
        label="Description"
        pointer="/description"
        value={description}
        onChange={setDescription}
      />
      <EventTypes value={choice} onChange={setChoice} />
      <Headers kept={begin.headers} rows={headers} onChange={setHeaders} />
    </>
  );
  const types = patternsOf(choice);
  const body = {
    url,
    description: description || null,
    event_types: types,
    ...(headers && headers.length + begin.headers.length > 0 && { headers: toHeaders(headers) }),
  };
  return { body, fields, isComplete: types.length > 0 };
}

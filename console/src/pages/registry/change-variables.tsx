import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { dataOf, api } from '../../api.ts';
import type { Schemas } from '../../own-types.ts';
import { Button } from '../../ui/button.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { Choice, Lines, Select, TextField } from '../../ui/fields.tsx';
import { Text } from '../../ui/text.tsx';
import { OfForm } from '../../ui/violations.ts';
import { PreviewRequired } from './preview-required.tsx';
import {
  type Draft,
  fromDraft,
  linesOf,
  newDraft,
  toDraft,
  TYPES,
  WITHOUT,
} from './variable-draft.ts';

/** Changes the variables and required schemas of the workspace, after a look at what would break. */
export function ChangeVariables({
  workspace,
  etag,
  onClose,
  onDone,
}: {
  workspace: Schemas['Workspace'];
  etag: string;
  onClose: () => void;
  /** Gets the settings as they were, and the ETag of the changed ones. */
  onDone: (before: Schemas['Workspace'], etag: string) => Promise<void>;
}) {
  // The page reloads behind the dialog; the fields and the ETag stay those that the person has seen.
  const [before] = useState({ workspace, etag });
  const [drafts, setDrafts] = useState(() => workspace.variables.map(toDraft));
  const [schemas, setSchemas] = useState(workspace.required_schemas.join('\n'));
  // The form is made again after a preview: what it begins with then is a draft.
  const [begun] = useState(() => JSON.stringify([drafts, schemas]));
  const [wanted, setWanted] = useState<Schemas['WorkspaceRequirements']>();
  const required = linesOf(schemas);
  const wereRequired = before.workspace.variables.flatMap((one) => (one.required ? one.name : []));
  const added = drafts.filter(
    ({ name, without }) => without === 'required' && !wereRequired.includes(name),
  );
  if (wanted) {
    return (
      <PreviewRequired
        wanted={wanted}
        etag={before.etag}
        onBack={() => {
          setWanted(undefined);
        }}
        onDefault={
          added.length > 0 &&
          (() => {
            setDrafts(
              drafts.map((one) => (added.includes(one) ? { ...one, without: 'default' } : one)),
            );
            setWanted(undefined);
          })
        }
        onDone={(now) => onDone(before.workspace, now)}
      />
    );
  }
  return (
    <DialogForm
      wide
      title="Edit variables"
      submit="Preview"
      isChanged={JSON.stringify([drafts, schemas]) !== begun}
      onClose={onClose}
      onSubmit={async () => {
        const body = { variables: drafts.map(fromDraft), required_schemas: required };
        // A refusal is shown at its fields, which the preview does not have.
        const params = { query: { limit: 1 } };
        await dataOf(
          api.POST('/api/v1/workspace/incomplete-user-groups/preview', { params, body }),
        );
        setWanted(body);
      }}
    >
      {drafts.map((draft, index) => (
        <VariableFields
          key={draft.key}
          no={index + 1}
          draft={draft}
          isOpen={drafts.length === 1 || isLacking(draft)}
          onChange={(part) => {
            setDrafts(drafts.map((one, at) => (at === index ? { ...one, ...part } : one)));
          }}
          onRemove={() => {
            setDrafts(drafts.filter((_, at) => at !== index));
          }}
        />
      ))}
      <Button
        icon="plus"
        onClick={() => {
          setDrafts([...drafts, newDraft()]);
        }}
      >
        Variable
      </Button>
      <Lines
        label="Required schemas, one a line"
        pointer="/required_schemas"
        parts={required}
        value={schemas}
        onChange={setSchemas}
      />
    </DialogForm>
  );
}

/** Tells whether a variable has to be given its default. */
const isLacking = ({ without, fallback }: Draft) => without === 'default' && fallback === '';

function VariableFields({
  no,
  draft,
  isOpen,
  onChange,
  onRemove,
}: {
  no: number;
  draft: Draft;
  /** Whether its fields are shown at first. */
  isOpen: boolean;
  onChange: (part: Partial<Draft>) => void;
  onRemove: () => void;
}) {
  const place = `/variables/${no - 1}`;
  const own = useRef<HTMLDetailsElement>(null);
  const unfold = () => {
    own.current!.open = true;
  };
  // Runs before the dialog looks for its first field.
  useLayoutEffect(() => {
    const isNew = draft.name === '';
    if (isOpen || isNew) unfold();
    if (isNew) own.current!.querySelector('input')!.focus();
  }, []);
  const words = [draft.type, WITHOUT.find(([one]) => one === draft.without)![1], draft.description];
  const change = (name: keyof Draft) => (value: string) => {
    onChange({ [name]: value });
  };
  return (
    <details ref={own} aria-label={`Variable ${no}`} onInvalidCapture={unfold}>
      <summary>
        <strong>{draft.name ? <Text>{draft.name}</Text> : `Variable ${no}`}</strong>{' '}
        <span class="soft">
          <Text>{words.filter(Boolean).join(', ')}</Text>
        </span>
      </summary>
      <div class="variable">
        <TextField
          label="Name"
          pointer={`${place}/name`}
          error={useContext(OfForm).at(place, false)}
          required
          value={draft.name}
          onChange={change('name')}
        />
        <Select
          label="Type"
          options={TYPES.map((one) => [one, one])}
          value={draft.type}
          onChange={change('type')}
        />
        <Select
          label="If missing"
          options={WITHOUT}
          value={draft.without}
          onChange={change('without')}
        />
        {draft.without === 'default' && (
          <TextField
            label="Default"
            pointer={`${place}/default`}
            autofocus={isLacking(draft)}
            value={draft.fallback}
            onChange={change('fallback')}
          />
        )}
        <TextField
          label="Description"
          pointer={`${place}/description`}
          value={draft.description}
          onChange={change('description')}
        />
        {!draft.isSecret && (
          <Lines
            label="Allowed values, one a line"
            pointer={`${place}/enum`}
            parts={linesOf(draft.allowed)}
            value={draft.allowed}
            onChange={change('allowed')}
          />
        )}
        <Choice
          isOn={draft.isSecret}
          onChange={(isSecret) => {
            onChange({ isSecret });
          }}
        >
          secret
        </Choice>
        <Choice
          isOn={draft.isOfToken}
          onChange={(isOfToken) => {
            onChange({ isOfToken });
          }}
        >
          from embed tokens, not from groups
        </Choice>
        <Button kind="quiet" icon="close" onClick={onRemove}>
          Remove variable {no}
        </Button>
      </div>
    </details>
  );
}

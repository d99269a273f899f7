import { useState } from 'preact/hooks';
import type { Schemas } from '../../own-types.ts';
import { Button } from '../../ui/button.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { Field } from '../../ui/fields.tsx';
import { PreviewRequired } from './preview-required.tsx';

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;

export function ChangeRequired({
  workspace,
  onClose,
  onDone,
}: {
  workspace: Schemas['Workspace'];
  onClose: () => void;
  onDone: () => void;
}) {
  const [properties, setProperties] = useState(workspace.required_properties);
  const [schemas, setSchemas] = useState(workspace.required_schemas.join('\n'));
  const [wanted, setWanted] = useState<Schemas['WorkspaceRequirements']>();
  const change = (index: number, part: Partial<Schemas['RequiredProperty']>) => {
    setProperties(properties.map((one, at) => (at === index ? { ...one, ...part } : one)));
  };
  if (wanted) {
    return (
      <PreviewRequired
        wanted={wanted}
        onBack={() => {
          setWanted(undefined);
        }}
        onDone={onDone}
      />
    );
  }
  return (
    <DialogForm
      wide
      title="What is required of every group"
      submit="Preview"
      onClose={onClose}
      onSubmit={() => {
        setWanted({ required_properties: properties, required_schemas: schemas.split('\n').filter(Boolean) });
      }}
    >
      <fieldset>
        <legend class="legend">Properties</legend>
        <div class="rows">
          {properties.map(({ name, type }, index) => (
            <div key={index} class="row">
              <input
                aria-label={`Name of property ${index + 1}`}
                required
                spellcheck={false}
                value={name}
                onInput={(event) => {
                  change(index, { name: event.currentTarget.value });
                }}
              />
              <select
                aria-label={`Type of property ${index + 1}`}
                value={type}
                onChange={(event) => {
                  change(index, { type: event.currentTarget.value as (typeof TYPES)[number] });
                }}
              >
                {TYPES.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
              <Button
                kind="quiet"
                icon="close"
                aria-label={`Remove property ${index + 1}`}
                onClick={() => {
                  setProperties(properties.filter((_, at) => at !== index));
                }}
              />
            </div>
          ))}
          <Button
            icon="plus"
            onClick={() => {
              setProperties([...properties, { name: '', type: 'string' }]);
            }}
          >
            Property
          </Button>
        </div>
      </fieldset>
      <Field label="Schemas in the mapping" hint="Your ids, one a line. They must be registered.">
        {(ties) => (
          <textarea
            {...ties}
            rows={3}
            spellcheck={false}
            value={schemas}
            onInput={(event) => {
              setSchemas(event.currentTarget.value);
            }}
          />
        )}
      </Field>
    </DialogForm>
  );
}

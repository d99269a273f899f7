import { useEffect, useState } from 'preact/hooks';
import { groupCall } from '../../curl.ts';
import { addressOf, goTo } from '../../router.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Text } from '../../ui/text.tsx';
import { useGroupFields } from '../group/edit/fields.tsx';
import { bodyOf, created, isConflict, write } from '../group/resource.ts';

const NOTHING = { name: '', mapping: '{}', properties: '{}', valid_until: null };

export function Create({ onClose }: { onClose: () => void }) {
  const [id, setId] = useState('');
  const { written, fields, isSound, isChanged } = useGroupFields(NOTHING);
  /** The id that another group has. */
  const [taken, setTaken] = useState<string>();
  useEffect(() => {
    if (taken !== undefined) {
      document.querySelector<HTMLElement>('dialog [aria-invalid=true]')?.focus();
    }
  }, [taken]);
  const isFolded = /^\.\.?$/.test(id);
  return (
    <DialogForm
      wide
      title="New user group"
      submit="Create"
      disabled={isFolded || !isSound}
      isChanged={isChanged || id !== ''}
      call={() =>
        groupCall('PUT', id, '', { body: bodyOf(written), headers: { 'If-None-Match': '*' } })
      }
      onClose={onClose}
      onSubmit={async () => {
        setTaken(undefined);
        try {
          await write(id, written, { 'If-None-Match': '*' });
        } catch (error) {
          if (!isConflict(error)) throw error;
          setTaken(id);
          return;
        }
        created.value = id;
        goTo(addressOf(['groups', id]));
      }}
    >
      <TextField
        label="ID"
        hint="By this id your product knows it."
        error={
          isFolded ? (
            'Addresses take . and .. for folders: choose another id.'
          ) : taken === id && id !== '' ? (
            <>
              A group with the id{' '}
              <code>
                <Text>{id}</Text>
              </code>{' '}
              exists already. <a href={addressOf(['groups', id])}>Open it</a>
            </>
          ) : undefined
        }
        pointer="id"
        required
        autofocus
        spellcheck={false}
        value={id}
        onChange={setId}
      />
      {fields}
    </DialogForm>
  );
}

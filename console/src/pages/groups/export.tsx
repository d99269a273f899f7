import { useState } from 'preact/hooks';
import { fetchOk } from '../../api.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { saveLines } from '../../save.ts';

export function ExportDialog({ onClose }: { onClose: () => void }) {
  const [tokens, setTokens] = useState(false);
  return (
    <DialogForm
      title="Export all user groups"
      submit="Export"
      onClose={onClose}
      onSubmit={async () => {
        const response = await fetchOk('api/v1/user-groups/export', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ include_tokens: tokens }),
        });
        await saveLines('user-groups.ndjson', response);
        onClose();
      }}
    >
      <p>A file with a line of JSON for each group, as an import takes it.</p>
      <label class="choice">
        <input
          type="checkbox"
          checked={tokens}
          onChange={(event) => {
            setTokens(event.currentTarget.checked);
          }}
        />
        With their tokens. The audit log tells so, and the file is a secret.
      </label>
    </DialogForm>
  );
}

import { Refusal } from './api.ts';

export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 60000);
}

/** Saves lines of JSON that end in a summary; throws if it is missing, because the lines are then incomplete. */
export async function saveLines(name: string, response: Response): Promise<void> {
  const content = await response.blob();
  const end = await content.slice(-4096).text();
  const last = end.trimEnd().split('\n').at(-1) ?? '';
  if (!/^\{"summary":.*"complete":true/.test(last)) {
    throw new Refusal({ title: 'The export was cut.', detail: 'Nothing was saved; try again.' });
  }
  save(name, content);
}

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

/**
 * Reads lines of JSON that end in a summary; throws if it is missing, because the lines are then incomplete.
 * @param show is told how many lines have come so far
 */
export async function readLines(response: Response, show?: (lines: number) => void): Promise<Blob> {
  let lines = 0;
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (part, out) => {
      for (const byte of part) if (byte === 10) lines++;
      show?.(lines);
      out.enqueue(part);
    },
  });
  const content = await new Response(response.body!.pipeThrough(counting)).blob();
  const end = await content.slice(-4096).text();
  const last = end.trimEnd().split('\n').at(-1) ?? '';
  if (!/^\{"summary":.*"complete":true/.test(last)) {
    throw new Refusal({ title: 'The export was cut.', detail: 'Nothing was saved; try again.' });
  }
  return content;
}

import { Refusal } from './api.ts';

/** Yields the lines of a response as they arrive, each as JSON; throws unless the last one is a complete summary. */
export async function* linesOf<Line extends object>(response: Response): AsyncGenerator<Line> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let last: Line | undefined;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop()!;
    for (const text of lines) {
      last = JSON.parse(text) as Line;
      yield last;
    }
  }
  const summary = (
    last as { summary?: { complete: boolean; code?: string; detail?: string } } | undefined
  )?.summary;
  if (!summary) {
    throw new Refusal({
      title: 'The response was cut off.',
      detail: 'Go on, or look what was done.',
    });
  }
  const request_id = response.headers.get('X-Request-Id') ?? '';
  const { complete, code = '', detail = '' } = summary;
  if (!complete) throw new Refusal({ title: 'It stopped early.', detail, code, request_id });
}

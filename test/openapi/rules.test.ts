import { Document, type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { describeOpenApi } from '../../src/docs/openapi';

test('is OpenAPI 3.1 and passes the default rules of Spectral', async () => {
  const document = await describeOpenApi();
  expect(document.openapi).toBe('3.1.0');
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas as RulesetDefinition] });
  const problems = await spectral.run(new Document(withExamplesOnce(document), Json));
  expect(
    problems.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`),
  ).toEqual([]);
});

interface Answer {
  schema: object;
  examples: Record<string, object>;
}

/**
 * The document as JSON, with each example of an answer once. Most stand at every operation, with the
 * same schema, and to judge them there again takes most of the time.
 */
function withExamplesOnce(document: object): string {
  const seen = new Set<string>();
  const isNew = (text: string) => seen.size < seen.add(text).size;
  return JSON.stringify(document, (_key, value: unknown) => {
    if (!isAnswer(value)) return value;
    const examples = Object.entries(value.examples).filter((example) =>
      isNew(JSON.stringify([value.schema, example])),
    );
    return { ...value, examples: Object.fromEntries(examples) };
  });
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'schema' in value && 'examples' in value;
}

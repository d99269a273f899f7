import { Document, type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { describeOpenApi } from '../../src/server/app/openapi/openapi.ts';

test('the document is OpenAPI 3.1 and passes the default rules of Spectral', async () => {
  const document = await describeOpenApi();
  expect(document.openapi).toBe('3.1.0');
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas as RulesetDefinition] });
  const problems = await spectral.run(new Document(withReferencesOnce(document), Json));
  expect(
    problems.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`),
  ).toEqual([]);
});

/**
 * The document as JSON, with each reference to an error response once. To judge the same response at every
 * operation takes most of the time.
 */
function withReferencesOnce(document: object): string {
  const seen = new Set<string>();
  const isNew = (text: string) => seen.size < seen.add(text).size;
  return JSON.stringify(document, (key, value: unknown) => {
    if (key !== 'responses') return value;
    const responses = Object.entries(value as Record<string, { $ref?: string }>);
    return Object.fromEntries(responses.filter(([, { $ref }]) => !$ref || isNew($ref)));
  });
}

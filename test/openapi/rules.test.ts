import { Document, type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { Json } from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { describeOpenApi } from '../../src/docs/openapi';

test('is OpenAPI 3.1 and passes the default rules of Spectral', async () => {
  const document = await describeOpenApi();
  expect(document.openapi).toBe('3.1.0');
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [oas as RulesetDefinition] });
  const problems = await spectral.run(new Document(JSON.stringify(document), Json));
  expect(
    problems.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`),
  ).toEqual([]);
});

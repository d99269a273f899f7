import { Deployable, type Workload } from '../deploy/manifests.ts';
import { schemaViolations } from './kubernetes-schema.ts';

const base = new Deployable('base');
const deployment = base.only<Workload>('Deployment');

test('Kubernetes knows every field, and misses none', () => {
  expect(schemaViolations([...base.manifests, ...new Deployable('migrate').manifests])).toEqual([]);
});

test('a field that is misspelled, missing or of another type would be noticed', () => {
  const [misspelled, ofAnotherType, incomplete] = [deployment, deployment, deployment].map((each) =>
    structuredClone(each),
  );
  Object.assign(misspelled!.spec.template.spec.containers[0]!, { livenessProb: {} });
  Object.assign(ofAnotherType!.spec.template.spec, { terminationGracePeriodSeconds: '30' });
  delete incomplete!.spec.selector;
  expect(schemaViolations([misspelled!, ofAnotherType!, incomplete!])).toEqual([
    expect.stringMatching(/livenessProb/),
    expect.stringMatching(/'string' is not assignable to type 'number'/),
    expect.stringMatching(/'selector' is missing/),
  ]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Deployable, findAll, root, type Workload } from './manifests.ts';
import { metricsPort, port, publicPaths, variableNames, version } from './service-facts.ts';

const base = new Deployable('base');
const migrate = new Deployable('migrate');
const manifests = [...base.manifests, ...migrate.manifests];
const document = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');

const deployment = base.only<Workload>('Deployment');
const job = migrate.only<Workload>('Job');
const pods = [deployment.spec.template, job.spec.template];
const api = deployment.spec.template.spec.containers[0]!;
const containers = pods.flatMap(({ spec }) => [...spec.containers, ...(spec.initContainers ?? [])]);

test.each([
  ['base', base],
  ['migrate', migrate],
])('every file of %s is used, and its image is of this version', (_name, deployable) => {
  const { resources, configMapGenerator = [], images } = deployable.kustomization;
  const used = [...resources, ...configMapGenerator.flatMap(({ files = [] }) => files)];
  expect(deployable.files().sort()).toEqual(used.sort());
  const named = findAll(deployable.manifests, 'image');
  expect(new Set(named)).toEqual(new Set(images.map(({ name }) => name)));
  expect(images.map(({ newTag }) => newTag)).toEqual([version]);
});

test('every configuration that is referred to is there', () => {
  for (const { manifests: used, kustomization } of [base, migrate]) {
    const made = (kustomization.configMapGenerator ?? []).map(({ name }) => name);
    const references = [...findAll(used, 'configMapRef'), ...findAll(used, 'configMap')];
    expect(references.map((reference) => (reference as { name: string }).name)).toEqual(made);
  }
});

test('every secret is a mounted file that docs/operate/kubernetes.md makes, and none is here', () => {
  const page = document('operate/kubernetes.md').replaceAll('\\\n', ' ');
  const made = [...page.matchAll(/kubectl create secret generic (\S+)(.*)/g)].flatMap(
    ([, name, rest]) =>
      [...rest!.matchAll(/--from-file=([\w-]+)=/g)].map(([, key]) => `${name}/${key}`),
  );
  expect(page).not.toContain('--from-literal');
  const read = pods.flatMap(({ spec }) => {
    const [volume, ...others] = spec.volumes;
    expect(others).toEqual([]);
    // To be read by the group of the process alone.
    expect(volume!.secret!.defaultMode).toBe(0o440);
    expect(spec.securityContext).toMatchObject({ runAsGroup: 1000, fsGroup: 1000 });
    return spec.containers.flatMap(({ env, volumeMounts }) => {
      const [mount] = volumeMounts;
      expect(mount).toMatchObject({ name: volume!.name, readOnly: true });
      return env.map(({ name, value = '' }) => {
        expect([name, value]).toEqual([
          expect.stringMatching(/_FILE$/),
          expect.stringContaining(`${mount!.mountPath}/`),
        ]);
        return value.replace(mount!.mountPath, volume!.secret!.secretName);
      });
    });
  });
  expect(made.sort()).toEqual(read.sort());
  expect(findAll(manifests, 'secretKeyRef')).toEqual([]);
  expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
});

test('the migration has no encryption key', () => {
  const { containers: all, volumes } = job.spec.template.spec;
  expect(all.flatMap(({ env }) => env.map(({ name }) => name))).toEqual(['DATABASE_URL_FILE']);
  expect(volumes.map(({ secret }) => secret!.secretName)).toEqual(['user-group-service-owner']);
});

test('every variable is one of the service', () => {
  const literals = base.kustomization.configMapGenerator!.flatMap((map) => map.literals ?? []);
  const names = [
    ...literals.map((literal) => literal.split('=')[0]),
    ...containers.flatMap(({ env }) => env.map(({ name }) => name)),
  ];
  expect(names).toContain('DATABASE_URL_FILE');
  expect(variableNames).toEqual(expect.arrayContaining(names));
});

/** Labels of namespaces, which only those can set who administer the cluster. */
const OF_NAMESPACES = ['kubernetes.io/metadata.name', 'user-group-service/callers'];

test('nobody may call a pod but from namespaces with a label that is documented', () => {
  const { ingress } = base.only<{ ingress: { from: object[] }[] }>('NetworkPolicy').spec;
  const labels = ingress.flatMap(({ from }) => findAll(from, 'matchLabels'));
  expect(labels).toEqual([
    { 'user-group-service/callers': 'true' },
    { 'kubernetes.io/metadata.name': 'monitoring' },
  ]);
  expect(findAll(ingress, 'namespaceSelector')).toHaveLength(labels.length);
  expect(document('operate/kubernetes.md')).toContain('user-group-service/callers=true');
});

test('every selector finds the pods of the service', () => {
  const { labels } = deployment.spec.template.metadata;
  const selectors = [
    ...(findAll(base.manifests, 'matchLabels') as object[]),
    ...base.manifests
      .filter(({ kind }) => kind === 'Service')
      .map(({ spec }) => (spec as { selector: object }).selector),
  ].filter((selector) => !OF_NAMESPACES.some((label) => label in selector));
  expect(selectors).toHaveLength(7);
  for (const selector of selectors) expect(labels).toEqual(expect.objectContaining(selector));
  expect(job.spec.template.metadata.labels).not.toEqual(expect.objectContaining(labels));
  const { podSelector } = base.only<{ podSelector: { matchLabels: object } }>('NetworkPolicy').spec;
  expect(job.spec.template.metadata.labels).toEqual(
    expect.objectContaining(podSelector.matchLabels),
  );
});

test('every port is one that the service listens on, and every target is there', async () => {
  const ports = { http: port, metrics: metricsPort };
  const declared = api.ports!.map(({ name, containerPort }) => [name, containerPort]);
  expect(Object.fromEntries(declared)).toEqual(ports);
  const named = [
    ...findAll(base.manifests, 'targetPort'),
    ...findAll(base.only<{ ingress: object }>('NetworkPolicy').spec.ingress, 'port'),
    ...findAll(api, 'httpGet').map((probe) => (probe as { port: string }).port),
  ];
  expect(named).toHaveLength(7);
  for (const name of named) expect(Object.keys(ports)).toContain(name);
  const probed = findAll(api, 'httpGet').map((probe) => (probe as { path: string }).path);
  expect(await publicPaths()).toEqual(expect.arrayContaining(probed));
});

test('the autoscaler scales the deployment, and PostgreSQL has connections for all of it', () => {
  const { scaleTargetRef, maxReplicas } = base.only<{
    scaleTargetRef: object;
    maxReplicas: number;
  }>('HorizontalPodAutoscaler').spec;
  const { apiVersion, kind, metadata } = deployment;
  expect(scaleTargetRef).toEqual({ apiVersion, kind, name: metadata.name });
  expect(deployment.spec).not.toHaveProperty('replicas');
  // A rolling update has one replica more.
  expect((maxReplicas + deployment.spec.strategy.rollingUpdate.maxSurge) * 13).toBeLessThan(97);
});

test('a pod has time to turn callers away and to finish before it is killed', () => {
  const [literal] = base.kustomization.configMapGenerator![0]!.literals!;
  const delay = Number(/^SHUTDOWN_DELAY_SECONDS=(\d+)$/.exec(literal!)?.[1]);
  const { periodSeconds, failureThreshold } = api.readinessProbe!;
  const noticed = periodSeconds * failureThreshold;
  expect(delay).toBeGreaterThanOrEqual(noticed);
  const { terminationGracePeriodSeconds } = deployment.spec.template.spec;
  expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(delay + 10);
});

test('no pod can do more than it has to', () => {
  for (const { spec } of pods) {
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(spec.securityContext.runAsUser).toBeGreaterThan(0);
  }
  for (const container of containers) {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources.requests).toEqual({
      cpu: expect.any(String),
      memory: expect.any(String),
    });
    expect(container.resources.limits['memory']).toMatch(/^\d+Mi$/);
  }
});

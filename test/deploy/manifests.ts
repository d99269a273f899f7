import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export const root = join(import.meta.dirname, '..', '..');

/** An object of Kubernetes; of its `spec` the parts that a test reads. */
export interface Manifest<Spec = object> {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: Spec;
}

export interface Workload {
  selector?: { matchLabels: Labels };
  strategy: { rollingUpdate: { maxSurge: number } };
  template: { metadata: { labels: Labels }; spec: Pod };
}

interface Pod {
  securityContext: { runAsUser: number };
  terminationGracePeriodSeconds: number;
  containers: Container[];
  initContainers?: Container[];
  volumes: { name: string; secret?: { secretName: string; defaultMode: number } }[];
}

interface Container {
  env: { name: string; value?: string }[];
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  ports?: { name: string; containerPort: number }[];
  readinessProbe?: { periodSeconds: number; failureThreshold: number };
  resources: { requests: Labels; limits: Labels };
  securityContext: object;
}

type Labels = Record<string, string>;

interface Kustomization {
  resources: string[];
  configMapGenerator?: { name: string; literals?: string[]; files?: string[] }[];
  images: { name: string; newTag: string }[];
}

/** One directory of `deploy/kustomize`. */
export class Deployable {
  private readonly directory: string;
  readonly kustomization: Kustomization;
  readonly manifests: Manifest[];

  constructor(name: string) {
    this.directory = join(root, 'deploy', 'kustomize', name);
    this.kustomization = parse(this.read('kustomization.yaml')) as Kustomization;
    this.manifests = this.kustomization.resources.flatMap((file) =>
      parseAllDocuments(this.read(file)).map((document) => document.toJS() as Manifest),
    );
  }

  /** The files that are there, but for the kustomization itself. */
  files(): string[] {
    return readdirSync(this.directory).filter((name) => name !== 'kustomization.yaml');
  }

  read(file: string): string {
    return readFileSync(join(this.directory, file), 'utf8');
  }

  /** @throws if there is not exactly one */
  only<Spec>(kind: string): Manifest<Spec> {
    const [found, ...others] = this.manifests.filter((manifest) => manifest.kind === kind);
    if (!found || others.length > 0) throw new Error(`there is not exactly one ${kind}`);
    return found as Manifest<Spec>;
  }
}

/** Every object with a `key` in `value`, however deep: what it has there. */
export function findAll(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => [
    ...(name === key ? [child as unknown] : []),
    ...findAll(child, key),
  ]);
}

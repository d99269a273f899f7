import { join } from 'node:path';
import ts from 'typescript';
import { type Manifest, root } from '../deploy/manifests.ts';

/**
 * The reasons for which Kubernetes would refuse the manifests, one line each. Types made from its OpenAPI document
 * decide: unknown fields, missing fields, values of a wrong type.
 */
export function schemaViolations(manifests: Manifest[]): string[] {
  const file = join(root, 'test', 'deploy', 'manifests.generated.cts');
  // A literal, because only of literals TypeScript refuses fields that are not known.
  const source = manifests
    .map((manifest, index) => {
      const type = `import('kubernetes-types/${moduleOf(manifest.apiVersion)}').${manifest.kind}`;
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
    })
    .join('\n');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es5.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const disk = ts.createCompilerHost(options);
  host.fileExists = (name) => name === file || disk.fileExists(name);
  host.getSourceFile = (name, target) =>
    name === file ? ts.createSourceFile(name, source, target) : disk.getSourceFile(name, target);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

/** `networking.k8s.io/v1` is `networking/v1` there, and `v1` is `core/v1`. */
function moduleOf(apiVersion: string): string {
  const [version, group = 'core'] = apiVersion.split('/').reverse();
  return `${group.split('.')[0]}/${version}`;
}

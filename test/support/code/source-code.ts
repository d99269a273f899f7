import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..', '..', '..');

/** A file of the service, parsed. */
export interface Source {
  /** From the root of the repository, as `src/main.ts`. */
  path: string;
  file: ts.SourceFile;
}

/** Every file that is compiled into the service and its command line. */
export const sources: readonly Source[] = readdirSync(join(root, 'src'), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/${name}`)
  .sort()
  .map((path) => ({
    path,
    file: ts.createSourceFile(
      path,
      readFileSync(join(root, path), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    ),
  }));

export interface Import {
  path: string;
  module: string;
  /** The imported names, as the module exports them; `*` for a whole module. Types are left out. */
  names: string[];
}

/** Every import that is there at run time, those that are made when they are needed too. */
export const imports: readonly Import[] = sources.flatMap((source) => [
  ...importsAtStart(source),
  ...importsOnDemand(source),
]);

function importsAtStart({ path, file }: Source): Import[] {
  return file.statements
    .filter(ts.isImportDeclaration)
    .flatMap(({ importClause, moduleSpecifier }) => {
      if (importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
      const bindings = importClause?.namedBindings;
      const names = [
        ...(importClause?.name ? ['default'] : []),
        ...(bindings && ts.isNamespaceImport(bindings) ? ['*'] : []),
        ...(bindings && ts.isNamedImports(bindings)
          ? bindings.elements
              .filter(({ isTypeOnly }) => !isTypeOnly)
              .map(({ name, propertyName }) => (propertyName ?? name).text)
          : []),
      ];
      const module = (moduleSpecifier as ts.StringLiteral).text;
      return importClause && names.length === 0 ? [] : [{ path, module, names }];
    });
}

/** `await import('module')`. */
function importsOnDemand({ path, file }: Source): Import[] {
  return nodesOf(file)
    .filter(ts.isCallExpression)
    .filter(({ expression }) => expression.kind === ts.SyntaxKind.ImportKeyword)
    .map((call) => ({ path, module: literalOf(call.arguments[0]) ?? '', names: ['*'] }));
}

export interface Call {
  path: string;
  /** The text of what is called, without spaces, such as `createHash` or `process.stdout.write`. */
  callee: string;
  node: ts.CallExpression | ts.NewExpression;
}

/** Every call and every `new`. */
export const calls: readonly Call[] = sources.flatMap(({ path, file }) =>
  nodesOf(file)
    .filter((node) => ts.isCallExpression(node) || ts.isNewExpression(node))
    .map((node) => ({ path, callee: node.expression.getText(file).replace(/\s+/g, ''), node })),
);

/** Every identifier, with the file it stands in; property names too. */
export const identifiers: readonly { path: string; name: string }[] = sources.flatMap(
  ({ path, file }) =>
    nodesOf(file)
      .filter(ts.isIdentifier)
      .map(({ text }) => ({ path, name: text })),
);

/** Every text without parts that are computed, with the file it stands in. */
export const literals: readonly { path: string; text: string }[] = sources.flatMap(
  ({ path, file }) =>
    nodesOf(file)
      .filter(ts.isStringLiteralLike)
      .map(({ text }) => ({ path, text })),
);

/** The value of an argument: a literal, or a constant of the same file that is one. */
export function literalOf(argument: ts.Expression | undefined): string | undefined {
  if (argument === undefined) return undefined;
  if (ts.isStringLiteralLike(argument)) return argument.text;
  if (!ts.isIdentifier(argument)) return undefined;
  const constant = nodesOf(argument.getSourceFile())
    .filter(ts.isVariableDeclaration)
    .find(({ name }) => ts.isIdentifier(name) && name.text === argument.text);
  return constant?.initializer && ts.isStringLiteralLike(constant.initializer)
    ? constant.initializer.text
    : undefined;
}

function nodesOf(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [node];
  node.forEachChild((child) => {
    for (const one of nodesOf(child)) found.push(one);
  });
  return found;
}

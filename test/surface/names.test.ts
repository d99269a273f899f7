import ts from 'typescript';
import { type Source, sources } from '../support/code/source-code.ts';

/** The names that the statements of a file export, without those that it passes on. */
function exportedNames({ file }: Source): string[] {
  return file.statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => name.getText(file));
    }
    const { name } = statement as ts.DeclarationStatement;
    return name ? [name.getText(file)] : [];
  });
}

test('a name that src exports means one thing', () => {
  const paths = new Map<string, Set<string>>();
  // The declaration of a feature has the name of the feature.
  for (const source of sources.filter(({ path }) => !path.endsWith('.feature.ts'))) {
    for (const name of exportedNames(source)) {
      paths.set(name, (paths.get(name) ?? new Set()).add(source.path));
    }
  }
  expect(paths.size).toBeGreaterThan(1000);
  const shared = [...paths].filter(([, of]) => of.size > 1);
  expect(shared.map(([name, of]) => `${name}: ${[...of].join(', ')}`)).toEqual([]);
});

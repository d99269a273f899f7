// Reads the declarations of the features from their files, without loading the service.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

const src = join(import.meta.dirname, '..', '..', 'src');

/**
 * @returns for each `*.feature.ts` of src its folder, such as `features/bulk-job`; its path and the constant that it exports;
 *   its name; `needs` and `uses`; whether it has routes, is switched by a setting, and says why it is always there; and
 *   `imported`, which has the local name and the file, such as `features/bulk/bulk.catalogue.ts`, of each member of its
 *   declaration that is an imported name
 */
export function declarations() {
  return readdirSync(src, { recursive: true })
    .filter((path) => path.endsWith('.feature.ts'))
    .sort()
    .map(declarationIn);
}

function declarationIn(path) {
  const text = readFileSync(join(src, path), 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const folder = posix.dirname(path);
  const files = new Map(
    file.statements.filter(ts.isImportDeclaration).flatMap(({ importClause, moduleSpecifier }) => {
      const bindings = importClause?.namedBindings;
      if (!bindings) return [];
      const names = ts.isNamedImports(bindings) ? bindings.elements : [bindings];
      return names.map(({ name }) => [name.text, posix.join(folder, moduleSpecifier.text)]);
    }),
  );
  const { constant, object } = definitionIn(file);
  const members = new Map(
    object.properties.map((one) => [one.name.text, one.initializer ?? one.name]),
  );
  const textsOf = (member) => members.get(member)?.elements.map((one) => one.text) ?? [];
  const imported = [...members]
    .filter(([, value]) => ts.isIdentifier(value) && files.has(value.text))
    .map(([member, value]) => [member, { name: value.text, path: files.get(value.text) }]);
  return {
    folder,
    path,
    constant,
    name: members.get('name').text,
    needs: textsOf('needs'),
    uses: textsOf('uses'),
    hasRoutes: members.has('modules'),
    isSwitched: members.has('switchedBy'),
    isAlways: members.has('always'),
    imported: Object.fromEntries(imported),
  };
}

/** @returns the name of the constant, and the object that the file hands to `defineFeature` */
function definitionIn(file) {
  for (const { declarationList } of file.statements.filter(ts.isVariableStatement)) {
    for (const { name, initializer } of declarationList.declarations) {
      if (initializer && ts.isCallExpression(initializer)) {
        if (initializer.expression.getText() === 'defineFeature') {
          return { constant: name.text, object: initializer.arguments[0] };
        }
      }
    }
  }
  throw new Error(`${file.fileName} declares no feature`);
}

import ts from 'typescript';
import { literalOf, sources } from './source-code.ts';

/** A class of the catalogue, where it is declared. */
export interface ErrorDeclaration {
  /** From the root of the repository. */
  path: string;
  name: string;
  code: string;
}

/** Every class that extends what `problem` or `failure` makes. */
export const errorClasses: readonly ErrorDeclaration[] = sources.flatMap(({ path, file }) =>
  file.statements.filter(ts.isClassDeclaration).flatMap(({ name, heritageClauses = [] }) => {
    const base = heritageClauses[0]?.types[0]?.expression;
    if (!name || !base || !ts.isCallExpression(base)) return [];
    if (!['problem', 'failure'].includes(base.expression.getText(file))) return [];
    return [{ path, name: name.text, code: literalOf(base.arguments[1])! }];
  }),
);

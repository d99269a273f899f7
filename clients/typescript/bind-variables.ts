import { BindError } from './bind-error.js';
import { type BoundValue, boundValueOf, type Refuse, type Scalar } from './bound-values.js';
import {
  PLACEHOLDERS,
  SQL_DIALECTS,
  type SqlDialect,
  type SqlPlaceholder,
  type SqlRules,
} from './sql-dialects.js';
import type { Place } from './sql-lexis.js';
import { statementOf } from './sql-places.js';
import { own, type Type, typeDeclared, valueAt, type VariableType } from './variable-types.js';

export interface BindOptions {
  dialect: SqlDialect;
  /** The type of each variable by its name. The name of a nested property is its path, such as `address.country`. */
  declarations: Readonly<Record<string, VariableType>>;
  /** The variables that are names of tables or columns, each with the names that it may be. */
  identifiers?: Readonly<Record<string, readonly string[]>>;
  /** The form of placeholders, if the driver wants another one than the engine. */
  placeholder?: SqlPlaceholder;
}

/** A statement without values, and its values in the order of its placeholders. */
export interface BoundStatement {
  text: string;
  values: BoundValue[];
}

/** The type of a variable that is an identifier. */
const NAME: Type = { scalar: 'string', isList: false, isOptional: false };
const CLICKHOUSE_TYPES = {
  string: 'String',
  date: 'String',
  timestamp: 'String',
  integer: 'Int64',
  number: 'Float64',
  boolean: 'Bool',
};
const IDENTIFIER = /^[\w\u0080-\uffff][\w\u0080-\uffff $.-]*$/;

/**
 * Puts a placeholder into the place of each `{{name}}` of a statement, and returns the values apart. The text
 * depends on no value, but on the lengths of lists, on the clauses that are left out, and on names out of `identifiers`.
 * docs/reference/bind-variables.md has the grammar.
 * @param variables the `variables` or `properties` of an introspection, or an object that has them inside
 * @throws BindError if a variable cannot be bound exactly: a filter never disappears
 * @throws TypeError if the options are wrong
 */
export function bindVariables(
  sql: string,
  variables: Readonly<Record<string, unknown>> | null | undefined,
  options: BindOptions,
): BoundStatement {
  const binding = new Binding(sql, variables, options);
  const { places, rest } = statementOf(sql, options.dialect, binding.placeholder);
  for (const place of places) binding.add(place);
  return { text: binding.text + rest, values: binding.values };
}

/** A statement that grows place by place. */
class Binding {
  text = '';
  values: BoundValue[] = [];
  readonly placeholder: SqlPlaceholder;
  private readonly rules: SqlRules;
  private clause: { text: string; count: number; isLeftOut: boolean } | undefined;

  constructor(
    private readonly sql: string,
    private readonly variables: unknown,
    private readonly options: BindOptions,
  ) {
    const rules = own(SQL_DIALECTS, options.dialect);
    if (!rules) throw new TypeError(`no dialect is named ${options.dialect}`);
    this.rules = rules;
    this.placeholder = options.placeholder ?? rules.placeholder;
    if (!own(PLACEHOLDERS, this.placeholder)) {
      throw new TypeError(`no placeholder has the form ${this.placeholder}`);
    }
  }

  add(place: Place): void {
    this.text += place.before;
    if (place.kind === 'variable') {
      this.addVariable(place);
      return;
    }
    if (place.kind === 'open') {
      this.clause = { text: this.text, count: this.values.length, isLeftOut: false };
    } else {
      const { text, count, isLeftOut } = this.clause!;
      if (isLeftOut) {
        this.text = text;
        this.values.length = count;
      }
      this.clause = undefined;
    }
    // The brackets have kept two words apart.
    this.text += ' ';
  }

  private addVariable(place: Place): void {
    const { name, position, path } = place;
    const refuse: Refuse = (code, reason) =>
      new BindError(code, `{{${name}}} ${reason}`, this.sql, position, name);
    const names = this.namesOf(name);
    const type = names ? NAME : this.typeOf(name, refuse);
    const value = valueAt(this.variables, path, refuse);
    if (value === undefined || value === null) {
      if (!type.isOptional || !this.clause) throw refuse('variable_missing', this.missing);
      this.clause.isLeftOut = true;
    } else if (names) {
      const found = names.find((one) => one === value);
      if (found === undefined) {
        throw refuse('identifier_not_allowed', 'is none of the names that are allowed');
      }
      this.text += this.rules.identifier[0]! + found + this.rules.identifier[1]!;
    } else if (place.touchesDot) {
      throw refuse('placeholder_adjacent', 'has a dot before or after it');
    } else if (type.isList) {
      this.text += this.listOf(value, place.isInList, type.scalar, refuse);
    } else {
      this.text += this.bind(value, type.scalar, refuse);
    }
  }

  /** An introspection has no `variables` until its workspace declares some: the caller is told which of the two is missing. */
  private get missing(): string {
    return this.variables === undefined || this.variables === null
      ? `cannot be bound: the variables of the call are ${this.variables}`
      : 'is missing or null';
  }

  private namesOf(name: string): readonly string[] | undefined {
    const { identifiers, declarations } = this.options;
    const names = identifiers && own(identifiers, name);
    if (!names) return undefined;
    const unusable = names.find((one) => !IDENTIFIER.test(one));
    if (unusable !== undefined) {
      throw new TypeError(`${unusable} cannot be quoted as an identifier`);
    }
    if (own(declarations, name)) {
      throw new TypeError(`${name} is declared as a value and as an identifier`);
    }
    return names;
  }

  private typeOf(name: string, refuse: Refuse): Type {
    const declared = own(this.options.declarations, name);
    if (declared === undefined) throw refuse('variable_unknown', 'is not declared');
    return typeDeclared(name, declared);
  }

  private listOf(value: unknown, isInList: boolean, scalar: Scalar, refuse: Refuse): string {
    if (!isInList) {
      throw refuse(
        'list_misplaced',
        'is a list, which stands alone between the brackets of IN (…)',
      );
    }
    if (!Array.isArray(value)) throw refuse('variable_type', `has to be a list of type ${scalar}`);
    if (value.length > 0) return value.map((one) => this.bind(one, scalar, refuse)).join(', ');
    if (this.rules.refusesEmptyLists) {
      throw refuse(
        'list_empty',
        'is an empty list, whose negation matches every row in this dialect',
      );
    }
    return 'NULL';
  }

  private bind(value: unknown, scalar: Scalar, refuse: Refuse): string {
    const bound = boundValueOf(value, scalar, this.rules, refuse);
    const isFloat = scalar === 'number' && this.placeholder === '{p1:Type}';
    if (isFloat && typeof bound === 'bigint' && !Number.isSafeInteger(Number(bound))) {
      throw refuse('variable_digits', 'has more digits than Float64 holds exactly');
    }
    const count = this.values.push(bound);
    switch (this.placeholder) {
      case '$1':
        return `$${count}`;
      case '@p1':
        return `@p${count}`;
      case '{p1:Type}':
        return `{p${count}:${CLICKHOUSE_TYPES[scalar]}}`;
      default:
        return this.placeholder;
    }
  }
}

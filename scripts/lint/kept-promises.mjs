/** These take promises and give each a handler at once. */
const HANDLERS = new Set(['all', 'allSettled', 'race', 'any', 'settled', 'handled']);
/** Methods of collections that keep what they are given. */
const KEEPERS = new Set(['set', 'add', 'push', 'unshift']);

/**
 * Reports a promise that is kept where nothing handles its rejection: in a member, an array, a map, a set,
 * an object, or a variable while something else is awaited. Rejected meanwhile, it ends the process,
 * whatever handles it later.
 */
export const keptPromises = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      kept: 'This promise is kept without a handler: wrap it in `handled(…)`, or await it where it begins.',
      awaitedLater:
        'Something else is awaited while `{{name}}` has no handler: begin it with `handled(…)`, or await both together.',
    },
  },
  create(context) {
    const { program, getTypeAtLocation } = context.sourceCode.parserServices;
    const checker = program.getTypeChecker();
    const hasThen = (type) =>
      type.isUnion() ? type.types.some(hasThen) : type.getProperty('then') !== undefined;
    /** A promise, or an array of nothing else. */
    const isPromise = (node) => {
      const type = getTypeAtLocation(node);
      if (!checker.isArrayType(type)) return hasThen(type);
      const [element] = checker.getTypeArguments(type);
      return !element.isUnion() && hasThen(element);
    };
    /** Whether evaluating it begins something that can be rejected, and that nothing handles yet. */
    const begins = (node) => {
      switch (node.type) {
        case 'CallExpression':
          return isPromise(node) && !isHandled(node);
        case 'NewExpression':
          return isPromise(node);
        case 'ConditionalExpression':
          return begins(node.consequent) || begins(node.alternate);
        case 'LogicalExpression':
          return begins(node.left) || begins(node.right);
        case 'TSNonNullExpression':
        case 'TSAsExpression':
          return begins(node.expression);
        default:
          return false;
      }
    };
    const report = (node) => {
      if (begins(node)) context.report({ node, messageId: 'kept' });
    };
    return {
      Property: ({ value, parent }) => parent.type === 'ObjectExpression' && report(value),
      ArrayExpression: ({ elements, parent }) => {
        if (isArgumentOfHandler(parent)) return;
        for (const element of elements) if (element) report(element);
      },
      AssignmentExpression: ({ left, right }) => left.type === 'MemberExpression' && report(right),
      CallExpression: ({ callee, arguments: given }) => {
        if (KEEPERS.has(callee.property?.name)) given.forEach(report);
      },
      VariableDeclarator: (node) => {
        if (node.id.type !== 'Identifier' || !node.init || !begins(node.init)) return;
        const later = awaitedBefore(node);
        if (later) context.report({ node: node.init, messageId: 'awaitedLater', data: node.id });
      },
    };
  },
};

function nameOf({ callee }) {
  return callee?.type === 'Identifier' ? callee.name : callee?.property?.name;
}

function isArgumentOfHandler(node) {
  return node.type === 'CallExpression' && HANDLERS.has(nameOf(node));
}

/** `handled(…)`, `x.catch(…)`, `x.then(…, …)`, and a promise that is never rejected. */
function isHandled(node) {
  const name = nameOf(node);
  if (name === 'handled' || name === 'catch' || name === 'allSettled') return true;
  if (name === 'resolve' && node.callee.object?.name === 'Promise') return true;
  if (name === 'finally') return isHandled(node.callee.object);
  return name === 'then' && node.arguments.length > 1;
}

/** The first `await` that comes after a declaration in its block, unless it awaits what is declared. */
function awaitedBefore(declarator) {
  const declaration = declarator.parent;
  const block = declaration.parent;
  const statements = block.body ?? [];
  const { name } = declarator.id;
  for (const statement of statements.slice(statements.indexOf(declaration) + 1)) {
    const found = firstUse(statement, name);
    if (found) return found.type === 'Identifier' ? undefined : found;
  }
  return undefined;
}

/** Returns the first in the order of evaluation: a use of the name, or an `await` of something else. */
function firstUse(node, name) {
  if (node.type === 'Identifier') return node.name === name ? node : undefined;
  if (/Function/.test(node.type)) return mentions(node, name) ? { type: 'Identifier' } : undefined;
  for (const child of childrenOf(node)) {
    const found = firstUse(child, name);
    if (found) return found;
  }
  return node.type === 'AwaitExpression' || node.type === 'YieldExpression' ? node : undefined;
}

function mentions(node, name) {
  if (node.type === 'Identifier') return node.name === name;
  return childrenOf(node).some((child) => mentions(child, name));
}

function childrenOf(node) {
  return Object.entries(node)
    .filter(([key]) => key !== 'parent')
    .flatMap(([, value]) => value)
    .filter((value) => typeof value?.type === 'string');
}

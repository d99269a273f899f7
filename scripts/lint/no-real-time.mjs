const TIMERS = /^(?:node:)?timers(?:\/promises)?$/;
const SLEEPS = new Set(['sleep', 'delay', 'waitMs']);
const CLOCKS = new Set(['performance', 'Date']);
const COMPARISONS = new Set(['<', '>', '<=', '>=']);
const COMPARING = /^toBe(?:LessThan|GreaterThan|CloseTo)/;
const DURATION =
  /^(?:took|elapsed|waited|duration|lasted)(?:Ms|Seconds)?$|(?:Took|Elapsed|Waited|Duration)(?:Ms|Seconds)?$/;

/**
 * Reports a test that waits for a time, and one that compares times of a clock: on a busy machine everything may take
 * seconds longer.
 */
export const noRealTime = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      waits:
        'A test waits for a condition (`until`), an event or a fake clock, and not for a time. A wait that only a real clock can show is `inRealTime(ms, reason)`.',
      compares: 'A busy machine takes longer: compare no times of a clock, but what has happened.',
      passes: 'The clock goes on before it is set: `goTo(time)` stops it first.',
    },
  },
  create(context) {
    const sleeps = new Set(SLEEPS);
    const waits = (node) => context.report({ node, messageId: 'waits' });
    const compares = (node) => context.report({ node, messageId: 'compares' });
    return {
      ImportDeclaration: ({ source, specifiers }) => {
        if (!TIMERS.test(source.value)) return;
        for (const { imported, local } of specifiers) {
          if (imported?.name === 'setTimeout') sleeps.add(local.name);
        }
      },
      CallExpression: (node) => {
        const { callee, arguments: given } = node;
        if (callee.type === 'Identifier' && sleeps.has(callee.name)) waits(node);
        else if (isSetTimeout(callee) && given.length > 1 && given[1].value !== 0) waits(node);
        if (callee.name === 'passTime' && given.some((one) => isReading(one))) {
          context.report({ node, messageId: 'passes' });
        }
        if (COMPARING.test(callee.property?.name) && comparesDuration(callee.object)) {
          compares(node);
        }
      },
      BinaryExpression: (node) => {
        const { operator, left, right } = node;
        const readsClock = isReading(left) || isReading(right);
        if (COMPARISONS.has(operator) && (readsClock || isDuration(left) || isDuration(right))) {
          compares(node);
        } else if (
          operator === '-' &&
          (isReading(left, 'performance') || isReading(right, 'performance'))
        ) {
          compares(node);
        }
      },
    };
  },
};

function isSetTimeout(callee) {
  const named =
    callee.type === 'MemberExpression' && callee.object.name === 'globalThis'
      ? callee.property
      : callee;
  return named.type === 'Identifier' && named.name === 'setTimeout';
}

/** Whether it is `expect(…)`, or `expect(…).not`, of a time that has passed. */
function comparesDuration(node) {
  if (node.type === 'MemberExpression') return comparesDuration(node.object);
  if (node.type !== 'CallExpression' || node.callee.name !== 'expect') return false;
  const [actual] = node.arguments;
  return actual !== undefined && (isReading(actual) || isDuration(actual));
}

/** Whether it is the present time, or a sum or difference with it. */
function isReading(node, clock) {
  if (node.type === 'BinaryExpression') {
    return isReading(node.left, clock) || isReading(node.right, clock);
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  const { object, property } = node.callee;
  if (object.name === 'Math') return node.arguments.some((argument) => isReading(argument, clock));
  return (
    property.name === 'now' &&
    (clock === undefined ? CLOCKS.has(object.name) : object.name === clock)
  );
}

function isDuration(node) {
  if (node.type === 'BinaryExpression') return isDuration(node.left) || isDuration(node.right);
  return node.type === 'Identifier' && DURATION.test(node.name);
}

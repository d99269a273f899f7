/**
 * Methods of a page and of its locators that give what is shown at one moment. `content` is not one of them: tests read it
 * for what must not be there even for a moment.
 */
const READS = new Set([
  'innerText',
  'allInnerTexts',
  'textContent',
  'allTextContents',
  'innerHTML',
  'inputValue',
  'getAttribute',
  'count',
  'isVisible',
  'isHidden',
  'isEnabled',
  'isDisabled',
  'isEditable',
  'isChecked',
  'title',
  'clipboard',
  'fieldValues',
  'overhang',
  'boundingBox',
  'evaluate',
]);

/** Reads that wait for no element: kept by a test, they have what was there by chance. */
const NEVER_WAIT = new Set([
  'allInnerTexts',
  'allTextContents',
  'count',
  'isVisible',
  'isHidden',
  'fieldValues',
]);

/** Whether the node runs once, in the body of a test; a function inside of it may be called again and again. */
function isInBodyOfTest(node) {
  let inner = node.parent;
  while (inner && !/Function/.test(inner.type)) inner = inner.parent;
  if (inner?.parent.type !== 'CallExpression') return false;
  const { callee } = inner.parent;
  return callee.name === 'test' || callee.callee?.object?.name === 'test';
}

/**
 * Reports an expectation of what a page shows at one moment: on a busy machine the page may show it a moment later.
 */
export const waitedReads = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      once: 'The page may show this later: wait for it with `page.read(wanted, () => …)`, `readUntil` or `waitFor`.',
    },
  },
  create(context) {
    /** Whether the expression awaits such a read, outside of a function that is called again and again. */
    const readsOnce = (node) => {
      switch (node.type) {
        case 'AwaitExpression':
          return isRead(node.argument);
        case 'ArrayExpression':
          return node.elements.some(readsOnce);
        case 'MemberExpression':
          return readsOnce(node.object);
        case 'CallExpression':
          return readsOnce(node.callee);
        default:
          return false;
      }
    };
    const isRead = (node, reads = READS) =>
      node.type === 'CallExpression' &&
      node.callee.type === 'MemberExpression' &&
      reads.has(node.callee.property.name);
    return {
      VariableDeclarator: (node) => {
        const { init } = node;
        const isKept = init?.type === 'AwaitExpression' && isRead(init.argument, NEVER_WAIT);
        if (isKept && isInBodyOfTest(node)) context.report({ node, messageId: 'once' });
      },
      "CallExpression[callee.name='expect']": (node) => {
        const [expected] = node.arguments;
        if (expected && readsOnce(expected)) context.report({ node, messageId: 'once' });
      },
    };
  },
};

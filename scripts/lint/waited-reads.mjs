/**
 * Methods of a page and of its locators that give what is shown at one moment. `content` is not one of them: tests read it
 * for what must not be there even for a moment.
 */
const READS = new Set([
  ...[
    'innerText',
    'allInnerTexts',
    'textContent',
    'allTextContents',
    'innerHTML',
    'inputValue',
    'getAttribute',
  ],
  ...['count', 'isVisible', 'isHidden', 'isEnabled', 'isDisabled', 'isEditable', 'isChecked'],
  ...['title', 'clipboard', 'fieldValues', 'overhang', 'boundingBox', 'evaluate'],
]);

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
    const isRead = (node) =>
      node.type === 'CallExpression' &&
      node.callee.type === 'MemberExpression' &&
      READS.has(node.callee.property.name);
    return {
      "CallExpression[callee.name='expect']": (node) => {
        const [expected] = node.arguments;
        if (expected && readsOnce(expected)) context.report({ node, messageId: 'once' });
      },
    };
  },
};

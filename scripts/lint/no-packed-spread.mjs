/** Reports a spread of a literal, which says nothing that its members in its place do not. */
export const noPackedSpread = {
  meta: {
    type: 'suggestion',
    fixable: 'code',
    schema: [],
    messages: {
      packed: 'Write the members in place of the spread, each on a line if they are long.',
    },
  },
  create(context) {
    const { sourceCode } = context;
    return {
      SpreadElement(node) {
        const { argument } = node;
        const isInObject = node.parent.type === 'ObjectExpression';
        if (argument.type !== (isInObject ? 'ObjectExpression' : 'ArrayExpression')) return;
        const members = sourceCode.getText(argument).slice(1, -1).trim().replace(/,$/, '');
        context.report({
          node,
          messageId: 'packed',
          fix: (fixer) => fixer.replaceText(node, members),
        });
      },
    };
  },
};

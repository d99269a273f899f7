/** Words that make a comment, or a sentence of it, begin with a clause in place of a verb or a noun. */
const OPENERS = [
  'What',
  'Whatever',
  'Who',
  'Whoever',
  'Whom',
  'Whose',
  'Which',
  'Where',
  'How',
  'That',
  'As',
  'Of',
  'So',
  'Than',
  'Those',
  'By',
  'Not',
  'Also',
  'Until when',
  'Since when',
  'For whom',
];
const OPENER = new RegExp(`^(?:${OPENERS.join('|')})\\b(?! (?:if|soon)\\b)`);
/** The pronoun: “One that …”, “One of …”, but “One transaction …” is a noun phrase. */
const PRONOUN = /^One(?:,| (?:that|which|who|is|was|of|has|for|by|in|with)\b)/;
const CLAUSE = /^(?:what|who|whoever|whom|how|where|that)\b/;

const PHRASES =
  /\b(?:anew|for ever|whoever|whomever|so (?:many|much|long|often)(?! (?:that|as)\b)|what is to|what there is|nobody need|as good as new|hang(?:s)? on|all the same|there where|(?:is|are) a must|obey(?:s|ed)?)\b/i;

const DIRECTIVE = /^\s*(?:eslint-|@ts-|prettier-ignore|c8 |istanbul )/;

/**
 * Reports comments that are not plain English: each sentence begins with a verb or a noun phrase,
 * so that a reader sees its subject first.
 */
export const plainComments = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      opener: 'A comment begins with a verb or a noun phrase, and not with “{{words}}”.',
      phrase: 'Say it in plain English: “{{words}}”.',
    },
  },
  create: ({ sourceCode, report }) => ({
    Program() {
      for (const { text, node } of paragraphs(sourceCode)) {
        for (const sentence of sentencesOf(text)) {
          const [words] =
            OPENER.exec(sentence) ?? PRONOUN.exec(sentence) ?? CLAUSE.exec(sentence) ?? [];
          if (words) report({ node, messageId: 'opener', data: { words } });
        }
        const [words] = PHRASES.exec(text) ?? [];
        if (words) report({ node, messageId: 'phrase', data: { words } });
      }
    },
  }),
};

/** Block comments, and line comments on consecutive lines taken together. */
function paragraphs(sourceCode) {
  const found = [];
  let last;
  for (const comment of sourceCode.getAllComments()) {
    if (DIRECTIVE.test(comment.value)) {
      last = undefined;
      continue;
    }
    if (comment.type === 'Block') {
      found.push({ node: comment, text: comment.value.replace(/^\s*\*+ ?/gm, '') });
      last = undefined;
      continue;
    }
    const follows =
      last?.end.loc.end.line === comment.loc.start.line - 1 &&
      last.end.loc.start.column === comment.loc.start.column;
    if (follows) {
      last.text += `\n${comment.value.trimStart()}`;
      last.end = comment;
    } else {
      last = { node: comment, end: comment, text: comment.value.trimStart() };
      found.push(last);
    }
  }
  return found;
}

/** The sentences of a comment, and the texts of its tags, without code and quotations. */
function sentencesOf(text) {
  return text
    .replace(/`[^`]*`/g, '`code`')
    .split(/\n\s*\n|\n(?=\s*(?:@|- |\d\. ))/)
    .flatMap((part) =>
      part
        .replace(/\s+/g, ' ')
        .split(/(?<=[.!?;:]\)?) (?=[A-Z])|^ ?@param \S+ (?:- )?|^ ?@\w+ |^ ?- /),
    )
    .map((sentence) => sentence.trim());
}

import { compareReports } from '../../scripts/surface/compare-reports.mjs';
import { report } from '../../scripts/surface/findings.mjs';

const RELEASED = `## API Report File for "user-group-service"

\`\`\`ts

import { Type } from '@nestjs/common';

// @public
export interface Limit {
    // (undocumented)
    name: string;
    points?: number;
}

// @public
export function operator(workspaceId: number): Caller;

// @public
export abstract class Store {
    abstract count(limit: Limit): Promise<{
        consumed: number;
    }>;
}

// @public
export class Tokens {
    rotate(body: RotateDto, input?: Options): Promise<Answer>;
}

// @public
export class RotateDto {
    current_token: string;
}

\`\`\`
`;

function findings(present: string | undefined, changelog = ''): string[] {
  return report(compareReports('user-group-service/testing', RELEASED, present), changelog);
}

const within = (before: string, after: string) => {
  expect(RELEASED).toContain(before);
  return RELEASED.replace(before, after);
};
/** With a line more at the end of the declaration that has this one. */
const adding = (line: string, to: string) => within(to, `${to}\n${line}`);

const LIMIT = '    points?: number;';
const STORE = '    }>;';
const TOKENS = '    rotate(body: RotateDto, input?: Options): Promise<Answer>;';
const DTO = '    current_token: string;';

/** A change, the report after it, the export that the changelog has to name, and what is said of it. */
const breaking: [string, string | undefined, string, string][] = [
  ['removed entry', undefined, 'user-group-service/testing', 'removed'],
  [
    'removed export',
    within('export function operator(workspaceId: number): Caller;', ''),
    'operator',
    'operator removed',
  ],
  [
    'declaration that is exported no longer',
    within('export function operator', 'function operator'),
    'operator',
    'operator changed: no longer export function operator(workspaceId: number): Caller;',
  ],
  [
    'changed export',
    within('workspaceId: number)', 'workspaceId: string)'),
    'operator',
    'operator changed: no longer export function operator(workspaceId: number): Caller;',
  ],
  [
    'removed member',
    within(`\n${LIMIT}`, ''),
    'Limit',
    'Limit changed: no longer points?: number;',
  ],
  [
    'changed member',
    within('name: string', 'name?: string'),
    'Limit',
    'Limit changed: no longer name: string;',
  ],
  [
    'new member that an object must have',
    adding('    windowSeconds: number;', LIMIT),
    'Limit',
    'Limit changed: windowSeconds: number;',
  ],
  [
    'new member that must be implemented',
    adding('    abstract reset(): void;', STORE),
    'Store',
    'Store changed: abstract reset(): void;',
  ],
  [
    'new field of what a function must give',
    within('        consumed: number;', '        consumed: number;\n        resetMs: number;'),
    'Store',
    'Store changed: resetMs: number;',
  ],
  [
    'new field that must be sent',
    adding('    reason: string;', DTO),
    'RotateDto',
    'RotateDto changed: reason: string;',
  ],
  [
    'new constructor',
    adding('    constructor(key: string);', TOKENS),
    'Tokens',
    'Tokens changed: constructor(key: string);',
  ],
];

test.each(breaking)(
  'the check refuses a %s, unless the changelog names it',
  (_name, present, named, text) => {
    const line = `user-group-service/testing: ${text}`;
    expect(findings(present)).toEqual([line]);
    const entry = `## Unreleased\n\n- **BREAKING** \`${named}\` is not as it was.\n`;
    expect(findings(present, entry)).toEqual([]);
    expect(findings(present, entry.replace(named, 'other'))).toEqual([line]);
  },
);

test.each([
  ['nothing', RELEASED],
  [
    'a new export',
    adding('\nexport const scopes: string[];', 'operator(workspaceId: number): Caller;'),
  ],
  ['a new optional member', adding('    windowSeconds?: number;', LIMIT)],
  ['a new method of a class', adding('    revoke(token: string): void;', TOKENS)],
  ['a new optional field', adding('    reason?: string;', DTO)],
  ['other comments', within('// (undocumented)', '// What it is.')],
  ['other imports', within("import { Type } from '@nestjs/common';", '')],
])('the check allows %s', (_name, present) => {
  expect(findings(present)).toEqual([]);
});

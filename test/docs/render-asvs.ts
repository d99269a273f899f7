import { readClaims } from '../support/api/pages.ts';

/** The chapters of ASVS 5.0.0 in their order, by the beginnings of their ids. */
const CHAPTERS = {
  V1: 'Encoding and sanitization',
  V2: 'Validation and business logic',
  V3: 'Web frontend',
  V4: 'API and web service',
  V5: 'File handling',
  V6: 'Authentication',
  V7: 'Session management',
  V8: 'Authorization',
  V9: 'Self-contained tokens',
  V10: 'OAuth and OIDC',
  V11: 'Cryptography',
  V12: 'Secure communication',
  V13: 'Configuration',
  V14: 'Data protection',
  V15: 'Secure coding and architecture',
  V16: 'Logging and error handling',
  V17: 'WebRTC',
};

/** docs/security/asvs.md: the state of each chapter, and what is not met, from docs/security/claims.tsv. */
export function asvsDocument(): string {
  const claims = readClaims();
  const asvs = claims.filter(({ standard }) => standard === 'ASVS 5.0.0');
  const risks = claims.filter(({ standard }) => standard.startsWith('API Security Top 10'));
  const chapters = Object.entries(CHAPTERS).map(([chapter, name]) => {
    const idsOf = (state: string) =>
      asvs
        .filter(({ id, state: its }) => id.startsWith(`${chapter}.`) && its.startsWith(state))
        .flatMap(({ id }) => requirementsOf(id));
    const counts = [idsOf('met').length, idsOf('not applicable').length].map((n) => n || '');
    return `| ${chapter} ${name} | ${counts[0]} | ${idsOf('not met').join(', ')} | ${counts[1]} |`;
  });
  const notMet = asvs
    .filter(({ state }) => state.startsWith('not met'))
    .map(({ id, how, remedy }) => `| ${id} | ${how} | ${remedy} |`);
  const risksMet = risks.filter(({ state }) => state === 'met').length;
  return `# OWASP ASVS and API Security Top 10

For auditors: how the service meets two standards by its own assessment, and what is left to the operator. This page is made from [claims.tsv](claims.tsv) by \`npm run docs\`.

The file has every requirement of ASVS 5.0.0, levels 1 and 2, each of the ten risks of APIs (2023), the threats of the
[threat model](threat-model.md#threats), and the places of the code that use cryptography. A claim names tests that fail if it is false, or says why no test can show it. A
test checks that no requirement is missing and that the named tests exist. Of the ten risks of APIs ${risksMet} are met.

| Chapter of the ASVS | Met | Not met, or left to you | Not applicable |
|---|---|---|---|
${chapters.join('\n')}

## Not met, or left to the operator

| Id | What is missing | What you can do |
|---|---|---|
${notMet.join('\n')}
`;
}

/** The requirements of an id such as `V1.3.1, V1.3.4–V1.3.6`, each by itself. */
export function requirementsOf(ids: string): string[] {
  return ids.split(', ').flatMap((part) => {
    const [, within, first, end, last] =
      /^(V\d+\.\d+)\.(\d+)(?:–(V\d+\.\d+)\.(\d+))?$/.exec(part) ?? [];
    if (within === undefined || (end !== undefined && end !== within)) {
      throw new Error(`"${part}" is neither an id nor a range of ids in one section`);
    }
    const count = Number(last ?? first) - Number(first) + 1;
    return Array.from({ length: count }, (_, index) => `${within}.${Number(first) + index}`);
  });
}

import ts from 'typescript';
import { calls, identifiers, imports, literalOf, sources } from '../support/code/source-code.ts';
import { readClaims } from '../support/api/pages.ts';

/** Files and names as one text each, sorted and without repetition. */
const unique = (texts: string[]) => [...new Set(texts)].sort();
const importsOf = (pattern: RegExp) => imports.filter(({ module }) => pattern.test(module));
const callsOf = (pattern: RegExp) => calls.filter(({ callee }) => pattern.test(callee));
const placesOf = (found: { path: string }[]) => unique(found.map(({ path }) => path));

test('the source is read at all', () => {
  expect(sources.length).toBeGreaterThan(150);
  expect(calls.length).toBeGreaterThan(1000);
  expect(importsOf(/^node:crypto$/).length).toBeGreaterThan(5);
  expect(imports.every(({ module }) => !/^(crypto|fs|http|net|path|tls|url)$/.test(module))).toBe(
    true,
  );
});

test('no other program is started', () => {
  expect(importsOf(/^(node:)?(child_process|cluster|worker_threads)$/)).toEqual([]);
  // The first has plugins use the packages of the service.
  const paths = ['src/main.ts', 'src/platform/config/shared-packages.ts'];
  expect(importsOf(/^(node:)?module$/)).toMatchObject(paths.map((path) => ({ path })));
  expect(callsOf(/^process\.(dlopen|binding|_linkedBinding|getBuiltinModule)$/)).toEqual([]);
});

test('no text becomes code or a regular expression', () => {
  expect(importsOf(/^(node:)?(vm|repl|inspector)(\/|$)/)).toEqual([]);
  expect(callsOf(/^(globalThis\.)?(eval|Function|RegExp)$/)).toEqual([]);
  expect(callsOf(/\.(matchAll?|search|replaceAll|compile)$/).filter(takesMadeUpPattern)).toEqual(
    [],
  );
  // The place that loads a module at run time names it.
  const loads = callsOf(/^(import|require(\.resolve)?)$/);
  const unnamed = loads.filter(({ node }) => literalOf(node.arguments?.[0]) === undefined);
  // PLUGINS names these modules.
  expect(placesOf(unnamed)).toEqual(['src/platform/config/load-plugins.ts']);
  // Redis runs one fixed script.
  const scripts = callsOf(/^this\.redis\.eval$/);
  expect(
    scripts
      .map(({ node }) => node.arguments?.[0])
      .filter((script) => !script || !isConstant(script)),
  ).toEqual([]);
  const evals = [
    'src/core/rate-limit/redis.ts',
    'src/core/rate-limit/standard-rate-limit-store.ts',
  ];
  expect([placesOf(callsOf(/\.eval$/)), scripts.length]).toEqual([evals, 1]);
});

/** `text.match(other)` makes a regular expression of another text. */
function takesMadeUpPattern({ callee, node }: (typeof calls)[number]): boolean {
  const [pattern] = node.arguments ?? [];
  if (!pattern || callee.endsWith('.replaceAll')) return false;
  return pattern.kind !== ts.SyntaxKind.RegularExpressionLiteral && !isConstant(pattern);
}

/** Named in capitals, as constants of a file are. */
function isConstant(expression: ts.Expression): boolean {
  return ts.isIdentifier(expression) && /^[A-Z_]+$/.test(expression.text);
}

test('only the code of the database, of Redis, of Vault, of webhooks and of the identity provider connects to anything', () => {
  const connecting = imports.filter(({ module, names }) => {
    if (module === 'typeorm') return names.includes('DataSource');
    if (/^node:(net|http)$/.test(module)) return names.some((name) => !HARMLESS.includes(name));
    return /^(pg|@redis\/client|better-sqlite3|openid-client|node:(https|http2|tls|dgram|dns|dns\/promises))$/.test(
      module,
    );
  });
  const elsewhere = placesOf(connecting).filter(
    (path) => !path.startsWith('src/platform/database/'),
  );
  expect(elsewhere).toEqual([
    'src/core/encryption-key/vault-transit.ts',
    'src/core/rate-limit/redis.ts',
    'src/features/console/openid/identity-provider.ts',
    'src/features/webhook/sending/webhook-sender.ts',
  ]);
  // A command calls the service that its option names.
  expect(
    placesOf(callsOf(/^(globalThis\.)?(fetch|WebSocket|EventSource|navigator\.\w+)$/)),
  ).toEqual(['src/features/plan/files/remote-plans.ts']);
  expect(placesOf(callsOf(/^createServer$/))).toEqual([
    'src/platform/common/http/server/http-server.ts',
  ]);
});

/** The names of `node:net` and `node:http` that connect to nothing. */
const HARMLESS = [
  'BlockList',
  'isIP',
  'isIPv6',
  'createServer',
  'IncomingMessage',
  'ServerResponse',
  'STATUS_CODES',
];

test('the check of certificates is switched off nowhere', () => {
  const names = identifiers.filter(({ name }) =>
    /^(rejectUnauthorized|checkServerIdentity|NODE_TLS_REJECT_UNAUTHORIZED)$/.test(name),
  );
  expect(names).toEqual([]);
  for (const { path, file } of sources) {
    expect([path, /rejectUnauthorized|NODE_TLS_REJECT/.test(file.text)]).toEqual([path, false]);
  }
});

describe('cryptography', () => {
  const used = imports.filter(({ module }) => /^(node:crypto|jose(\/.+)?)$/.test(module));

  test('every file that uses it stands in the inventory, and no other', () => {
    const inventory = readClaims()
      .filter(({ standard }) => standard === 'Cryptography')
      .flatMap(({ shownBy }) => [...shownBy.matchAll(/`(src\/[\w./-]+)`/g)])
      .map(([, path]) => path!);
    expect(unique(inventory)).toEqual(placesOf(used));
  });

  test('it comes from node:crypto and jose alone', () => {
    const others = importsOf(
      /crypt|hash|bcrypt|argon|scrypt|forge|sodium|nacl|jws|jwt|jwk|elliptic|webtoken|noble|sha\d|md5|random|uuid|nanoid/i,
    );
    expect(
      unique(others.map(({ module }) => module)).filter((name) => !/^(\.|jose\b)/.test(name)),
    ).toEqual(['node:crypto']);
    expect(identifiers.filter(({ name }) => /^(webcrypto|subtle)$/.test(name))).toEqual([]);
  });

  test('these functions of it are used, with these algorithms', () => {
    const functions = used
      .filter(({ module }) => module === 'node:crypto')
      .flatMap(({ names }) => names);
    expect(unique(functions)).toEqual([
      'createCipheriv',
      'createDecipheriv',
      'createECDH',
      'createHash',
      'createHmac',
      'createPrivateKey',
      'createPublicKey',
      'createSecretKey',
      'generateKeyPairSync',
      'hash',
      'hkdfSync',
      'randomBytes',
      'randomFillSync',
      'randomInt',
      'randomUUID',
      'sign',
      'verify',
    ]);
    const named = callsOf(
      /^(create(Hash|Hmac|Cipheriv|Decipheriv|ECDH)|generateKeyPairSync|hash|hkdfSync)$/,
    ).map(({ callee, node }) => `${callee} ${literalOf(node.arguments?.[0])}`);
    expect(unique(named)).toEqual([
      'createCipheriv aes-256-gcm',
      'createDecipheriv aes-256-gcm',
      'createECDH prime256v1',
      'createHash sha256',
      'createHmac sha256',
      'generateKeyPairSync ed25519',
      'hash sha256',
      'hkdfSync sha256',
    ]);
  });

  test('a hash is cut only where it names something', () => {
    const cut = calls.filter(({ callee }) =>
      /(\.digest|^hash)\(.*\)\.(slice|sub\w+)$/.test(callee),
    );
    // The nonce of a cursor, which has 96 bits; the name of the database in the keys of Redis; an id of a user, which has 128.
    expect(placesOf(cut)).toEqual([
      'src/core/rate-limit/standard-rate-limit-store.ts',
      'src/features/event/feed/event-cursors.ts',
      'src/features/target/definition/references.ts',
    ]);
  });

  test('no other source of chance than a secure one, but for pauses', () => {
    for (const { path, node } of callsOf(/\bMath\.random$/)) {
      let around: ts.Node = node;
      while (!ts.isStatement(around)) around = around.parent;
      const statement = around.getText();
      expect([path, statement]).toEqual([path, expect.stringMatching(/\b(sleep|rest)\(/)]);
    }
    expect(identifiers.filter(({ name }) => name === 'pseudoRandomBytes')).toEqual([]);
  });
});

test('the server writes to its log, and to files of its own, and nowhere else', () => {
  // Besides the command line: what prepares the tests of applications.
  const isServer = (path: string) =>
    !/^src\/(cli\.ts|server\/cli\/|platform\/command-line\/|.+\.command\.ts$|platform\/common\/problem\/exit-with\.ts$|server\/library\/testing\.ts$)/.test(
      path,
    );
  const spoken = placesOf(callsOf(/(^|\.)console\.\w+$|^process\.std(out|err)\b/));
  // The first steps, for people at a terminal; and an end before there is a log.
  expect(spoken.filter(isServer)).toEqual([
    'src/platform/common/early-signals.ts',
    'src/server/app/log-startup.ts',
  ]);
  const writing = importsOf(/^node:fs(\/promises)?$/).filter(({ names }) =>
    names.some(
      (name) =>
        !/^(accessSync|constants|existsSync|readdir(Sync)?|readFile(Sync)?|stat(Sync)?)$/.test(
          name,
        ),
    ),
  );
  // The service writes only to DATA_DIR: secrets, and the database with its lock.
  const elsewhere = placesOf(writing).filter((path) => !path.startsWith('src/platform/database/'));
  expect(elsewhere.filter(isServer)).toEqual(['src/platform/common/secret/private-file.ts']);
});

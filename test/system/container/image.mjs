import { Buffer } from 'node:buffer';
import {
  closeSync,
  createReadStream,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { output } from './engine.mjs';
import { must } from './report.mjs';

const MAX_BYTES = 300e6;
const TOOLS = 'npm npx corepack yarn gcc g++ cc c++ make cmake python3 git curl wget tsc'.split(
  ' ',
);
const SOURCES =
  '/app/src /app/test /app/.env /app/data /app/.git /app/.npmrc /root/.npm /root/.cache';

/** Checks the image, without running the service in it. */
export async function checkImage(report, engine, tag, secrets) {
  const { Size, Config } = await engine.inspect('image', tag);
  const sh = (script) =>
    engine.output(['run', '--rm', '--network', 'none', tag, 'sh', '-c', script]);

  await report.check('size of the image', () => {
    must(Size < MAX_BYTES, `${megabytes(Size)}, more than ${megabytes(MAX_BYTES)}`);
    return megabytes(Size);
  });
  await report.check('configuration of the image', () => {
    must(/^[1-9]\d*:[1-9]\d*$/.test(Config.User), `the user is "${Config.User}"`);
    must(Config.Env.includes('HOST=0.0.0.0'), 'HOST is not 0.0.0.0');
    must(Config.Env.includes('DATA_DIR=/data'), 'DATA_DIR is not /data');
    must('/data' in Config.Volumes, '/data is no volume');
    must(Config.Labels['org.opencontainers.image.title'], 'it has no labels');
    must(!Config.Entrypoint && Config.Cmd[0] === 'node', 'Node is not what is started');
    return `user ${Config.User}, ${Config.Cmd.join(' ')}, labels, a volume`;
  });
  await report.check('no tool to build or download with', async () => {
    const found = await sh(`for tool in ${TOOLS.join(' ')}; do command -v $tool; done; true`);
    must(found === '', `it has ${found}`);
    return `none of ${TOOLS.join(', ')}`;
  });
  await report.check('no source, cache or file of a developer', async () => {
    const found = await sh(`ls -d ${SOURCES} /tmp/* 2>/dev/null; true`);
    must(found === '', `it has ${found}`);
    return `none of ${SOURCES}`;
  });
  await report.check('no development package', async () => {
    const there = (await sh('cd /app/node_modules && ls -d * @*/*')).split('\n');
    const unwanted = developmentPackages().filter((name) => there.includes(name));
    must(unwanted.length === 0, `it has ${unwanted.join(', ')}`);
    return `${there.length} packages and scopes, none of ${developmentPackages().length}`;
  });
  await report.check('no secret in a layer or in the configuration', () =>
    checkSecrets(engine, tag, secrets),
  );
}

/** Searches the image for secrets. @returns figures @throws if it has one */
export async function checkSecrets(engine, tag, secrets) {
  const { Config } = await engine.inspect('image', tag);
  must(!holds(JSON.stringify(Config), secrets), 'one is in the configuration');
  const { layers, bytes } = await searchLayers(engine, tag, secrets);
  return `${secrets.length} searched for, in ${layers} layers, ${megabytes(bytes)}`;
}

/** The packages that only development needs, also those that packages of the run time would use if present. */
function developmentPackages() {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => (dev || devOptional) && isTopLevel(path))
    .map(([path]) => path.slice('node_modules/'.length));
}

function isTopLevel(path) {
  return path.startsWith('node_modules/') && path.lastIndexOf('node_modules/') === 0;
}

async function searchLayers(engine, tag, secrets) {
  const directory = mkdtempSync(join(tmpdir(), 'user-groups-layers-'));
  try {
    const archive = join(directory, 'image.tar');
    await engine.output(['save', '--output', archive, tag]);
    await output('tar', ['-xf', archive, '-C', directory]);
    const [{ Layers, Config }] = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
    must(!holds(readFileSync(join(directory, Config)), secrets), 'one is in its history');
    let bytes = 0;
    for (const layer of Layers) bytes += await searchLayer(join(directory, layer), layer, secrets);
    return { layers: Layers.length, bytes };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function searchLayer(path, name, secrets) {
  const longest = Math.max(...secrets.map((secret) => Buffer.byteLength(secret)));
  let bytes = 0;
  let end = Buffer.alloc(0);
  for await (const chunk of contentOf(path)) {
    const piece = Buffer.concat([end, chunk]);
    must(!holds(piece, secrets), `one is in the layer ${name}`);
    end = piece.subarray(-longest);
    bytes += chunk.length;
  }
  return bytes;
}

/** Layers are archives as they are, or compressed. */
function contentOf(path) {
  const stream = createReadStream(path, { highWaterMark: 1 << 20 });
  return startsLikeGzip(path) ? stream.pipe(createGunzip()) : stream;
}

function startsLikeGzip(path) {
  const file = openSync(path);
  try {
    const start = Buffer.alloc(2);
    readSync(file, start);
    return start.equals(Buffer.from([0x1f, 0x8b]));
  } finally {
    closeSync(file);
  }
}

function holds(content, secrets) {
  return secrets.some((secret) => content.includes(secret));
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

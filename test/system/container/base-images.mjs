import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { output, run } from './engine.mjs';

const MIRROR = 'http://deb.debian.org/debian';
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const CERTIFICATES = 'etc/ssl/certs/ca-certificates.crt';
/** The directories that the slim images of Debian leave out, too. */
const LEFT_OUT = ['doc', 'man', 'locale', 'info', 'lintian'].map((name) => `usr/share/${name}`);

/**
 * Makes the two base images of the Dockerfile of Debian's packages and npm's packages of Node, if no registry for
 * images can be reached. They are kept for the next time.
 * @returns a line that names the base of the image
 */
export async function ensureBaseImages(engine) {
  if (engine.name === 'docker') return 'on the base images of their registry';
  const names = [
    'docker.io/library/debian:bookworm-slim',
    'docker.io/library/node:26-bookworm-slim',
  ];
  const there = await Promise.all(names.map((name) => engine.run(['image', 'exists', name])));
  if (there.some(({ code }) => code !== 0)) await make(engine, names);
  return 'on stand-ins for its base images, made of packages of Debian and npm';
}

async function make(engine, [debian, node]) {
  const directory = mkdtempSync(join(tmpdir(), 'user-groups-base-'));
  const root = join(directory, 'root');
  try {
    const args = ['--variant=minbase', '--include=ca-certificates', 'bookworm', root, MIRROR];
    await output('debootstrap', args);
    for (const path of [...LEFT_OUT, 'var/cache/apt', 'var/lib/apt/lists']) {
      rmSync(join(root, path), { recursive: true, force: true });
    }
    // A network that has a certificate authority of its own has to be believed in the build, too.
    cpSync(join('/', CERTIFICATES), join(root, CERTIFICATES), { dereference: true });
    await load(engine, root, debian);
    await addNode(directory, join(root, 'usr', 'local'));
    await load(engine, root, node);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Adds the content of the image of Node: the program, its headers, and npm. */
async function addNode(directory, local) {
  const npm = join(local, 'lib', 'node_modules', 'npm');
  await unpack(directory, `node-linux-${process.arch}@26`, local, [
    'package/bin',
    'package/include',
  ]);
  await unpack(directory, 'npm@11', npm, ['package']);
  if (!existsSync(join(local, 'bin', 'node'))) throw new Error('npm has no Node for this machine');
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin', 'npm'));
  await run('chmod', ['755', join(npm, 'bin', 'npm-cli.js')]);
  mkdirSync(join(local, 'etc'), { recursive: true });
  writeFileSync(join(local, 'etc', 'npmrc'), `cafile=/${CERTIFICATES}\n`);
}

async function unpack(directory, specification, target, parts) {
  const packed = await output('npm', ['pack', '--silent', specification], { cwd: directory });
  mkdirSync(target, { recursive: true });
  const archive = join(directory, packed.split('\n').at(-1));
  await output('tar', ['-xzf', archive, '-C', target, '--strip-components=1', ...parts]);
}

async function load(engine, root, name) {
  const archive = `${root}.tar`;
  await output('tar', ['-C', root, '--numeric-owner', '-cf', archive, '.']);
  await engine.output(['import', '--change', `ENV ${PATH}`, archive, name]);
  rmSync(archive);
}

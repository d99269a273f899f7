import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const PACKAGES = 'podman buildah runc conmon netavark aardvark-dns catatonit debootstrap'.split(
  ' ',
);

/** Runs a program to its end: `{ code, stdout, stderr }`. With `input` it reads that. */
export async function run(program, args, { input, ...options } = {}) {
  const child = spawn(program, args, { stdio: 'pipe', ...options });
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => (stdout += chunk));
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  child.stdin?.on('error', () => undefined).end(input);
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, stdout, stderr };
}

/** Does the same as `run`, for its standard output alone. @throws if it fails */
export async function output(program, args, options) {
  const { code, stdout, stderr } = await run(program, args, options);
  if (code === 0) return stdout.trim();
  throw new Error(`${program} ${args[0]} ended with ${code}: ${stderr.trim().slice(-2000)}`);
}

/**
 * Docker where its engine answers; else podman and buildah with a storage of their own, so that the
 * stand-ins for base images are nobody else's. On Debian as root they are installed.
 */
export async function findEngine() {
  const docker = await run('docker', ['info']).catch(() => ({ code: 1 }));
  if (docker.code === 0) return new Engine('docker', [], {});
  const missing = await missingPrograms();
  if (missing.length > 0) await install(missing);
  const directory = join(
    process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
    'user-group-service',
    'containers',
  );
  mkdirSync(directory, { recursive: true });
  const conf = join(directory, 'containers.conf');
  writeFileSync(conf, CONFIGURATION);
  const storage = ['--root', join(directory, 'storage'), '--runroot', join(directory, 'run')];
  return new Engine('podman', storage, { ...process.env, CONTAINERS_CONF: conf });
}

/** Works without systemd, and where the hard limits of this process are low. */
const CONFIGURATION = `
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
`;

async function missingPrograms() {
  const found = await Promise.all(
    ['podman', 'buildah', 'runc', 'debootstrap'].map((name) => run('which', [name])),
  );
  return found.every(({ code }) => code === 0) ? [] : PACKAGES;
}

async function install(packages) {
  if (process.getuid() !== 0) {
    throw new Error(
      `No Docker engine answers. Install ${packages.join(', ')}, or run this as root.`,
    );
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await output('apt-get', ['update', '-qq']);
  const args = ['install', '-y', '-qq', '--no-install-recommends', ...packages];
  await output('apt-get', args, { env });
}

class Engine {
  constructor(name, storage, env) {
    this.name = name;
    this.storage = storage;
    this.env = env;
  }

  /** @returns {Promise<{ code: number, stdout: string, stderr: string }>} */
  run(args, options = {}) {
    const env = this.name === 'docker' ? process.env : this.env;
    return run(this.name, [...this.storage, ...args], { env, ...options });
  }

  /** @throws if the command fails */
  async output(args, options) {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code === 0) return stdout.trim();
    throw new Error(`${this.name} ${args[0]} ended with ${code}: ${stderr.trim().slice(-2000)}`);
  }

  async inspect(type, name) {
    return JSON.parse(await this.output([type, 'inspect', name]))[0];
  }

  /** The command of the image's health check; podman tells it in another place than Docker. */
  async healthCommand(tag) {
    const { Config, Healthcheck } = await this.inspect('image', tag);
    const [, ...command] = (Config.Healthcheck ?? Healthcheck).Test;
    return command;
  }

  /** Builds the image from a directory; what could be kept of the last build is. */
  async build(tag, directory, options = []) {
    const args = ['--tag', tag, ...options, directory];
    const [program, all] =
      this.name === 'docker'
        ? ['docker', ['build', ...args]]
        : ['buildah', [...this.storage, ...BUD, ...args]];
    await output(program, all, { env: this.name === 'docker' ? process.env : this.env });
  }

  /** The options that confine a container as much as the documents promise. */
  get confinement() {
    const readOnly = this.name === 'docker' ? [] : ['--read-only-tmpfs=false'];
    const rest = ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
    return ['--read-only', ...readOnly, ...rest];
  }
}

const BUD = ['bud', '--layers', '--isolation', 'chroot', '--network', 'host'];
BUD.push('--pull-never', '--format', 'docker');

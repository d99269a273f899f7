import { execFile } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';
import { promisify } from 'node:util';
import { start } from '../lab/processes.mjs';

const PAGE = fileURLToPath(new URL('../../../docs/guides/superset.md', import.meta.url));
/** Behind `<!-- step: name -->`. */
const STEP = /<!-- step: (.+) -->\n```\w+\n([\s\S]*?)\n```/g;
const EXAMPLES = new URL('../../../examples/superset/', import.meta.url);
const MAX_OUTPUT = 64 * 1024 * 1024;

/** The steps of docs/guides/superset.md, done one after the other in a directory. */
export class Page {
  #steps = new Map([
    ...[...readFileSync(PAGE, 'utf8').matchAll(STEP)].map(([, name, text]) => [name, text]),
    ['superset_config.py', configuration('superset_config.py')],
    ['superset_config.py, user groups', configuration('user_groups_config.py')],
  ]);
  #own;

  /**
   * @param env the variables that the page takes for granted; those that a step exports are added
   * @param own the ports that take the place of those of the page
   */
  constructor(directory, env, own) {
    this.directory = directory;
    this.env = { PATH: process.env.PATH, HOME: directory, ...env };
    this.#own = own;
  }

  /** @throws Error if the page has no such step */
  step(name) {
    const text = this.#steps.get(name);
    if (text === undefined) throw new Error(`docs/guides/superset.md has no step ${name}`);
    return text.replaceAll(/\b\d{4}\b/g, (number) => this.#own[number] ?? number);
  }

  /** Runs the commands of a step. @throws Error with what they print if they fail */
  async run(name) {
    const kept = join(this.directory, 'exported');
    const script = `set -eu\ntrap 'export -p > "${kept}"' EXIT\n${this.step(name)}`;
    try {
      const { stdout } = await this.sh(script);
      const { stdout: variables } = await promisify(execFile)('sh', ['-c', `. "${kept}"; env -0`], {
        env: {},
      });
      const pairs = variables.split('\0').filter(Boolean);
      for (const pair of pairs) this.env[pair.split('=')[0]] = pair.slice(pair.indexOf('=') + 1);
      return stdout;
    } catch (error) {
      throw new Error(`${name}: ${(error.stderr || error.message).slice(-3000)}`, { cause: error });
    }
  }

  sh(script) {
    const options = { cwd: this.directory, env: this.env, maxBuffer: MAX_OUTPUT };
    return promisify(execFile)('sh', ['-c', script], options);
  }

  /** Writes the text of a step, with more of it behind, to a file. */
  write(file, names, more = '') {
    const texts = names.map((name) => this.step(name));
    writeFileSync(join(this.directory, file), `${[...texts, more].join('\n\n')}\n`);
  }

  /**
   * Starts the last command of a step, which the page starts in the background.
   * @param log the file that gets what it says
   */
  background(name, log) {
    const command = this.step(name)
      .split('\n')
      .at(-1)
      .replace(/( > \S+ 2>&1)? &$/, '');
    const file = openSync(join(this.directory, log), 'a');
    const child = start('sh', ['-euc', `exec env ${command}`], {
      cwd: this.directory,
      env: this.env,
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => writeFileSync(file, chunk));
    }
    void child.ended.then(() => closeSync(file));
    return child;
  }
}

/** A part of superset_config.py, which the page has its reader copy. */
function configuration(name) {
  return readFileSync(new URL(name, EXAMPLES), 'utf8').trimEnd();
}

import { existsSync } from 'node:fs';
import process from 'node:process';
import { chromium } from 'playwright-core';

/** Debian's. The first has no windows, which the second draws although nobody sees them: twice the processor time. */
const PATHS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/**
 * The browser of this machine, without what it would ask other servers by itself. `CHROMIUM_PATH` names another.
 * @param {readonly string[]} [more] switches for one test alone
 * @returns {Promise<import('playwright-core').Browser>}
 * @throws if there is none
 */
export function launchBrowser(more = []) {
  const { CHROMIUM_PATH } = process.env;
  const paths = CHROMIUM_PATH ? [CHROMIUM_PATH] : PATHS;
  const executablePath = paths.find((path) => existsSync(path));
  if (!executablePath) {
    throw new Error(
      `no Chromium at ${paths.join(' or ')}: install one (chromium-headless-shell) or set CHROMIUM_PATH`,
    );
  }
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      ...more,
    ],
  });
}

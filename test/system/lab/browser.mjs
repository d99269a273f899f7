import process from 'node:process';
import { chromium } from 'playwright-core';
import { API_TOKEN } from './server.mjs';

/** The Chromium of this machine; `CHROMIUM_PATH` names another. */
export function launchBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
}

/** A page whose browser is signed in to the console, without anything in its cache. */
export async function openSignedIn(browser, origin, look) {
  const context = await browser.newContext(look);
  const page = await context.newPage();
  const answer = await page.request.post(`${origin}/console/session`, {
    headers: { 'Sec-Fetch-Site': 'same-origin' },
    data: { api_token: API_TOKEN },
    failOnStatusCode: true,
  });
  await answer.dispose();
  return page;
}

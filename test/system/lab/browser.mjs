import { API_TOKEN } from './server.mjs';

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

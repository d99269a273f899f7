import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../../test/system/lab/chromium.mjs';
import { startExample } from './example.mjs';

// Makes the picture of the README: both tenants' dashboards side by side. It looks the same only where
// the font Inter is installed (in Debian: fonts-inter).
//
//   node examples/renderer/screenshot.mjs

const TARGET = fileURLToPath(new URL('../../docs/images/renderer.png', import.meta.url));
const SIZE = { width: 600, height: 445 };

const browser = await launchBrowser();
const example = await startExample();
try {
  const pictures = [];
  for (const link of example.links) pictures.push(await pictureOf(link));
  writeFileSync(TARGET, await sideBySide(pictures));
  console.log(TARGET);
} finally {
  await example.stop();
  await browser.close();
}

async function pictureOf(link) {
  const page = await browser.newPage({ viewport: SIZE, deviceScaleFactor: 1.5 });
  await page.goto(link);
  await page.locator('main[data-state=shown]').waitFor();
  return page.screenshot();
}

async function sideBySide(pictures) {
  const viewport = { width: SIZE.width * pictures.length, height: SIZE.height };
  const page = await browser.newPage({ viewport, deviceScaleFactor: 1.5 });
  const images = pictures.map((picture) => {
    const source = `data:image/png;base64,${picture.toString('base64')}`;
    return `<img src="${source}" width="${SIZE.width}">`;
  });
  await page.setContent(`<body style="margin:0;display:flex">${images.join('')}</body>`);
  return page.screenshot();
}

import { readFileSync } from 'node:fs';
import { source as axeSource } from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import { noteTokens } from './leaks.ts';
import type { TestService } from './test-service.ts';

/** How somebody looks at the console. */
export interface Look {
  colorScheme?: 'light' | 'dark';
  /** In CSS pixels. */
  width?: number;
  /** Where the page is, if not at the service itself. */
  at?: string;
}

/** A page of the console in Chromium, in which nothing may go wrong that the test has not told of. */
export class ConsolePage {
  /** What the browser has complained of and no test has taken. */
  readonly complaints: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly tab: Page,
    private readonly address: string,
  ) {
    tab.on('pageerror', (error) => this.complaints.push(error.message));
    tab.on('console', (message) => {
      const { url } = message.location();
      if (['error', 'warning'].includes(message.type())) {
        this.complaints.push(`${message.text()} ${url}`);
      }
    });
  }

  static async open(browser: Browser, service: TestService, look: Look = {}): Promise<ConsolePage> {
    const { colorScheme = 'light', width = 1280, at = service.baseUrl } = look;
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height: 800 },
      locale: 'en-GB',
      timezoneId: 'UTC',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(10_000);
    await context.addInitScript(
      `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
         console.error('refused by the policy:', violatedDirective, blockedURI);
       });`,
    );
    return new ConsolePage(context, await context.newPage(), `${at}/console/`);
  }

  /** Signs in without the form. @throws if it is refused */
  async signIn(apiToken: string): Promise<void> {
    noteTokens(apiToken);
    const answer = await this.context.request.post(`${this.address}session`, {
      data: { api_token: apiToken },
      headers: { 'Sec-Fetch-Site': 'same-origin' },
    });
    if (!answer.ok()) throw new Error(await answer.text());
  }

  /** Goes to a place of the console, as by a link that somebody has sent: `groups/acme?period=7d`. */
  async visit(place = ''): Promise<void> {
    // A new place behind the # alone would not load the page.
    if (this.tab.url().startsWith(this.address)) await this.tab.goto('about:blank');
    await this.tab.goto(`${this.address}#/${place}`);
    await this.tab.locator('h1').first().waitFor();
  }

  /** Waits until the page has all it shows. @throws if something does not come */
  async settle(): Promise<void> {
    const awaited = await this.read(0, () => this.tab.locator('.bone').count());
    if (awaited > 0) throw new Error(`${this.place} waits for something that does not come`);
  }

  /** The place of the console where the page is, as `visit` takes it. */
  get place(): string {
    return new URL(this.tab.url()).hash.replace(/^#\/?/, '');
  }

  heading(name: string | RegExp): Locator {
    return this.tab.getByRole('heading', { level: 1, name });
  }

  button(name: string | RegExp): Locator {
    return this.tab.getByRole('button', { name, exact: true });
  }

  field(name: string): Locator {
    return this.tab.getByLabel(name, { exact: true });
  }

  dialog(name: string | RegExp): Locator {
    return this.tab.getByRole('dialog', { name });
  }

  /** The row of a table that shows this text. */
  row(text: string | RegExp): Locator {
    return this.tab.locator('tbody tr').filter({ hasText: text });
  }

  /** Waits until the page shows this text somewhere. */
  async shows(text: string | RegExp): Promise<void> {
    await this.tab.getByText(text).first().waitFor();
  }

  /**
   * Waits until `read` gives what is wanted. After five seconds it gives what there is then, for the
   * test to compare.
   */
  async read<T>(wanted: T, read: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + 5000;
    for (;;) {
      const found = await read();
      const isWanted = JSON.stringify(found) === JSON.stringify(wanted);
      if (isWanted || performance.now() > deadline) return found;
    }
  }

  /** Clicks, and gives the text of the file that the page then saves. */
  async saved(button: Locator): Promise<string> {
    const [download] = await Promise.all([this.tab.waitForEvent('download'), button.click()]);
    return readFileSync(await download.path(), 'utf8');
  }

  /** Whether the next key goes to it. */
  async hasFocus(control: Locator): Promise<boolean> {
    return (await control.and(this.tab.locator(':focus')).count()) > 0;
  }

  /** Goes by the Tab key to a control. @throws if it cannot be reached so */
  async tabTo(control: Locator): Promise<void> {
    await control.waitFor();
    for (let presses = 0; presses < 60; presses++) {
      if (await this.hasFocus(control)) return;
      await this.press('Tab');
    }
    throw new Error(`the Tab key does not lead to ${control.toString()}`);
  }

  /** Presses keys one after another. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.tab.keyboard.press(key);
  }

  /** The secret that the page shows this once. */
  async readSecret(): Promise<string> {
    const secret = await this.tab.locator('dialog .secret code').innerText();
    noteTokens(secret);
    return secret;
  }

  clipboard(): Promise<string> {
    return this.tab.evaluate<string>('navigator.clipboard.readText()');
  }

  /** Takes what the browser itself says of a refused call. @throws if there was no such refusal */
  takeRefusal(status: number): void {
    const index = this.complaints.findIndex((text) => text.includes(`a status of ${status} `));
    if (index < 0) throw new Error(`nothing was refused with ${status}`);
    this.complaints.splice(index, 1);
  }

  /** By how many pixels the page, or what is in it, can be scrolled sideways. */
  overhang(selector = 'html'): Promise<number> {
    return this.tab.evaluate<number>(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(
        document.querySelector('${selector}'))`,
    );
  }

  /** What stands in the way of somebody who uses the page otherwise than by mouse and eye. */
  async accessibilityViolations(): Promise<string[]> {
    if (!(await this.tab.evaluate<boolean>('"axe" in globalThis'))) {
      await this.tab.evaluate(axeSource);
    }
    const { violations } = await this.tab.evaluate<AxeAnswer>(
      'axe.run({ resultTypes: ["violations"] })',
    );
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
  }
}

interface AxeAnswer {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/**
 * Declares a browser for the tests of a file. Each page that a test opens is closed after it, and the
 * test fails if the page has complained of anything: an error, a warning, a breach of its policy.
 * It is to be declared before the services, so that the browser lets its connections go first.
 */
export function withConsolePages(): (service: TestService, look?: Look) => Promise<ConsolePage> {
  const opened: ConsolePage[] = [];
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterEach(async () => {
    const pages = opened.splice(0);
    const complaints = pages.flatMap((page) => page.complaints);
    await Promise.all(pages.map(({ context }) => context.close()));
    expect(complaints).toEqual([]);
  });
  afterAll(() => browser.close());
  return async (service, look) => {
    const page = await ConsolePage.open(browser, service, look);
    opened.push(page);
    return page;
  };
}

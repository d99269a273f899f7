import { readFileSync } from 'node:fs';
import { source as axeSource } from 'axe-core';
import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core';
import { launchBrowser } from '../../system/lab/chromium.mjs';
import { databaseKinds, type DatabaseKind } from '../database/databases.ts';
import { noteTokens } from '../jest/leaks.ts';
import type { TestService } from '../test-service.ts';
import { readUntil } from '../time/until.ts';

/** The rules of axe that depend on colours. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The width of a small telephone, in CSS pixels. */
const NARROW = 360;

/** The device that a user works with; the tests are otherwise the same. */
export type Hand = 'mouse' | 'keyboard';

/** The settings of a browser that shows the console. */
export interface Look {
  /** The mouse unless another is named. */
  hand?: Hand;
  colorScheme?: 'light' | 'dark';
  /** In CSS pixels. */
  width?: number;
  /** UTC unless another is named. */
  timezone?: string;
  /** The address of the page, if it is not that of the service. */
  at?: string;
}

/** A zone in which it is noon: what the page says of today stays so during a test, which midnight would end. */
export function zoneAtNoon(): string {
  const hours = 12 - new Date().getUTCHours();
  // In these names the sign says how far UTC is ahead.
  return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
}

/** A page of the console in Chromium, in which nothing may go wrong that the test has not told of. */
export class ConsolePage {
  /** The complaints of the browser that no test has taken. */
  readonly complaints: string[] = [];
  /** The statuses of refusals that the test has taken, those that are still to come included. */
  private readonly taken = new Set<number>();

  private constructor(
    readonly context: BrowserContext,
    readonly tab: Page,
    private readonly address: string,
    private readonly hand: Hand,
  ) {
    tab.on('pageerror', (error) => this.complaints.push(error.message));
    tab.on('console', (message) => {
      const { url } = message.location();
      const text = `${message.text()} ${url}`;
      if (!['error', 'warning'].includes(message.type())) return;
      if (![...this.taken].some((status) => isRefusal(text, status))) this.complaints.push(text);
    });
  }

  static async open(browser: Browser, service: TestService, look: Look = {}): Promise<ConsolePage> {
    const {
      hand = 'mouse',
      colorScheme = 'light',
      width = 1280,
      timezone = 'UTC',
      at = service.baseUrl,
    } = look;
    const context = await browser.newContext({
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width, height: 800 },
      locale: 'en-GB',
      timezoneId: timezone,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(100_000);
    await context.addInitScript(
      `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
         console.error('refused by the policy:', violatedDirective, blockedURI);
       });`,
    );
    return new ConsolePage(context, await context.newPage(), `${at}/console/`, hand);
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

  /**
   * Holds the requests to an address, those that are made until then and afterwards.
   * @param isHeld whether this one is held
   * @returns a function that lets all of them go on
   */
  async hold(
    url: string | RegExp,
    isHeld: (request: Request) => boolean = () => true,
  ): Promise<() => void> {
    let letGo!: () => void;
    const released = new Promise<void>((resolve) => (letGo = resolve));
    await this.tab.route(url, async (route) => {
      if (isHeld(route.request())) await released;
      // The page may have ended the request meanwhile.
      await route.continue().catch(() => undefined);
    });
    return letGo;
  }

  /** Waits until the page has all it shows. @throws if something does not come */
  async settle(): Promise<void> {
    await this.read(0, () => this.tab.locator('.bone').count());
  }

  /**
   * Waits until the page is at this place of the console, as `visit` takes it. The address follows a key that is typed
   * with a delay, so a test cannot read it at once.
   * @throws if the page stays elsewhere
   */
  async comesTo(place: string | RegExp): Promise<void> {
    const wanted: string = typeof place === 'string' ? place : expect.stringMatching(place);
    await this.read(wanted, () => Promise.resolve(this.place));
  }

  /** Goes back from where the page is: it may have led the browser there, which knows that a moment later. */
  async goBack(): Promise<void> {
    const browser = await this.tab.context().newCDPSession(this.tab);
    await this.read(this.tab.url(), async () => {
      const { entries, currentIndex } = await browser.send('Page.getNavigationHistory');
      return entries[currentIndex]!.url;
    });
    await browser.detach();
    await this.tab.goBack();
  }

  private get place(): string {
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

  /** The choice that shows a member of a group as JSON text. */
  json(member: 'Mapping' | 'Properties'): Locator {
    return this.tab.getByRole('group', { name: member }).getByRole('radio', { name: 'JSON' });
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
    await this.tab.getByText(text).filter({ visible: true }).first().waitFor();
  }

  /** `readUntil` for a page. */
  read<T>(wanted: T, read: () => Promise<T>): Promise<T> {
    return readUntil(wanted, read);
  }

  /**
   * Uses a button, a link, a checkbox or a radio button: by a click, or by a key once it has the focus.
   * @param modifier a key that is held meanwhile
   */
  async use(control: Locator, modifier?: 'Shift'): Promise<void> {
    if (this.hand === 'mouse') {
      await control.click(modifier && { modifiers: [modifier] });
      return;
    }
    const type = await control.getAttribute('type');
    if (type === 'radio') {
      await this.choose(control);
      return;
    }
    await this.tabTo(control);
    const key = type === 'checkbox' ? 'Space' : 'Enter';
    await this.press(modifier ? `${modifier}+${key}` : key);
  }

  /** Chooses a radio button of a group: the Tab key leads to the chosen one, and arrows to the others. */
  private async choose(radio: Locator): Promise<void> {
    const name = await radio.getAttribute('name');
    await this.tabTo(this.tab.locator(`input[name="${name}"]:checked`));
    await this.goTo(radio, { before: 'ArrowLeft', after: 'ArrowRight' });
  }

  /** Writes into a field in place of what it has. A moment is written as its field gives it: `2026-03-02T14:37`. */
  async write(field: Locator, text: string): Promise<void> {
    if (this.hand === 'mouse') {
      await field.click();
      await field.fill(text);
      return;
    }
    await this.tabTo(field);
    if ((await field.getAttribute('type')) === 'datetime-local') {
      const [, year, month, day, hour, minute] = /^(\d+)-(\d+)-(\d+)T(\d+):(\d+)$/.exec(text)!;
      await this.tab.keyboard.type(`${month}${day}${year}`);
      // A year may have more digits than these.
      await this.press('ArrowRight');
      const hours = String(Number(hour) % 12 || 12).padStart(2, '0');
      await this.tab.keyboard.type(`${hours}${minute}${Number(hour) < 12 ? 'A' : 'P'}`);
      return;
    }
    await this.press('Control+A', 'Delete');
    await this.tab.keyboard.insertText(text);
  }

  /** Ends writing in a field that takes what is written only then. */
  async leave(): Promise<void> {
    if (this.hand === 'mouse') await this.tab.locator('h1').click();
    else await this.press('Enter');
  }

  /** Chooses by the value of an option. The list that a click unfolds is no part of the page. */
  async select(list: Locator, value: string): Promise<void> {
    if (this.hand === 'mouse') {
      await list.selectOption(value);
      return;
    }
    const values = await list.locator('option').evaluateAll(valuesOf);
    await this.tabTo(list);
    const steps = values.indexOf(value) - values.indexOf(await list.inputValue());
    for (let step = 0; step < Math.abs(steps); step++) {
      await this.press(steps > 0 ? 'ArrowDown' : 'ArrowUp');
    }
  }

  /** Chooses a file in the dialog of the browser, which the field opens. */
  async chooseFile(field: Locator, name: string, content: string): Promise<void> {
    const [chooser] = await Promise.all([this.tab.waitForEvent('filechooser'), this.use(field)]);
    const mimeType = 'application/octet-stream';
    await chooser.setFiles({ name, mimeType, buffer: Buffer.from(content) });
  }

  /** Uses a button, and gives the text of the file that the page then saves. */
  async saved(button: Locator): Promise<string> {
    const [download] = await Promise.all([this.tab.waitForEvent('download'), this.use(button)]);
    return readFileSync(await download.path(), 'utf8');
  }

  /** Whether the control has the focus, or gets it soon: a page moves the focus after it is drawn. */
  getsFocus(control: Locator): Promise<boolean> {
    return this.read(true, async () => (await control.and(this.tab.locator(':focus')).count()) > 0);
  }

  /** Goes by the Tab key to a control. @throws if it cannot be reached so */
  async tabTo(control: Locator): Promise<void> {
    await control.waitFor();
    const handle = await control.elementHandle();
    await handle.waitForElementState('enabled');
    // A dialog that closes gives the focus back with the next rendering of the page.
    await this.tab.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    await this.goTo(control, { before: 'Shift+Tab', after: 'Tab' });
  }

  /** Presses the key that leads on from where the focus is, until a control has it. */
  private async goTo(control: Locator, keys: Record<'before' | 'after', string>): Promise<void> {
    for (let presses = 0; presses < 200; presses++) {
      const side = await control.evaluate(sideOfFocus);
      if (side === 'here') return;
      await this.press(keys[side]);
    }
    throw new Error(`the keyboard does not lead to ${control.toString()}`);
  }

  /** Goes to a page by `g` and its key. The page does not see how long a busy machine takes between them. */
  async goByKey(key: string): Promise<void> {
    await this.tab.evaluate(
      `(({ now }) => { const at = now(); Date.now = () => at; Date.goOn = () => (Date.now = now); })(Date)`,
    );
    await this.press('g', key);
    await this.tab.evaluate('void Date.goOn()');
  }

  /** Presses keys one after another. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.tab.keyboard.press(key);
  }

  /** The texts in the fields of the page. */
  fieldValues(): Promise<string[]> {
    return this.tab.locator('input, textarea').evaluateAll(valuesOf);
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
    const index = this.complaints.findIndex((text) => isRefusal(text, status));
    if (index < 0) throw new Error(`nothing was refused with ${status}`);
    this.complaints.splice(index, 1);
  }

  /**
   * Takes every refusal of this kind, also in the rest of the test: a call that is under way may be refused, or not, and
   * the browser may say so later than the page.
   */
  takeAnyRefusals(status: number): void {
    this.taken.add(status);
    const others = this.complaints.filter((text) => !isRefusal(text, status));
    this.complaints.splice(0, Infinity, ...others);
  }

  /** The number of pixels by which the page, or an element of it, can be scrolled sideways. */
  overhang(selector = 'html'): Promise<number> {
    return this.tab.evaluate<number>(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(
        document.querySelector('${selector}'))`,
    );
  }

  /** The obstacles to a user who has no mouse or sees little: in light and in dark colours, and on a narrow screen. */
  async accessibilityViolations(): Promise<string[]> {
    if (!(await this.tab.evaluate<boolean>('"axe" in globalThis'))) {
      await this.tab.evaluate(axeSource);
    }
    const wide = this.tab.viewportSize()!;
    const found = [...(await this.violations('wide'))];
    await this.tab.emulateMedia({ colorScheme: 'dark' });
    found.push(...(await this.violations('dark', COLOUR_RULES)));
    await this.tab.emulateMedia({ colorScheme: 'light' });
    await this.tab.setViewportSize({ ...wide, width: NARROW });
    found.push(...(await this.violations('narrow')));
    await this.tab.setViewportSize(wide);
    return found;
  }

  private async violations(look: string, rules?: string[]): Promise<string[]> {
    const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
    const { violations } = await this.tab.evaluate<AxeResponse>(
      `axe.run(${JSON.stringify(options)})`,
    );
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ html, failureSummary }) => `${look}: ${id}: ${html.slice(0, 200)} ${failureSummary}`,
      ),
    );
  }
}

/** The fields of an element that the functions below use. They run in the page. */
interface Place {
  value: string;
  ownerDocument: { activeElement: Place | null };
  compareDocumentPosition: (other: Place) => number;
}

/** Whether an element has the focus; else, on which side of what has it. */
function sideOfFocus(element: object): 'here' | 'before' | 'after' {
  const FOLLOWING = 4;
  const own = element as Place;
  const focused = own.ownerDocument.activeElement;
  if (focused === own) return 'here';
  return focused && own.compareDocumentPosition(focused) & FOLLOWING ? 'before' : 'after';
}

function valuesOf(elements: object[]): string[] {
  return elements.map((element) => (element as Place).value);
}

interface AxeResponse {
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
    browser = await launchBrowser();
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

function isRefusal(complaint: string, status: number): boolean {
  return complaint.includes(`a status of ${status} `);
}

const HANDS: Hand[] = ['mouse', 'keyboard'];

/** Declares the same tests once for each hand. */
export function byEachHand(tests: (hand: Hand) => void): void {
  describe.each(HANDS)('by %s', tests);
}

/**
 * Declares tests of both databases: by mouse on one and by keyboard on the other, because the hands differ above the API
 * and the databases below it. A run with one database has both hands.
 */
export function byHandOn(kind: DatabaseKind, tests: (hand: Hand) => void): void {
  const hands = databaseKinds.length === 1 ? HANDS : [HANDS[databaseKinds.indexOf(kind)]!];
  describe.each(hands)('by %s', tests);
}

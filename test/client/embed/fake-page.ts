import type { FreshTokenOptions, TokenResponse } from '../../../clients/embed/embed.ts';

/** The origin of the dashboards. */
export const DASHBOARDS = 'https://dashboards.example.com';

/** The browser around a helper: its events, its clocks, its frame, and the backend of the host. */
export class FakePage {
  readonly window = new EventTarget();
  readonly document = Object.assign(new EventTarget(), { hidden: false });
  /** Messages to the frame, each with the origin that it was for. */
  readonly posted: [unknown, string][] = [];
  readonly frame = {
    contentWindow: {
      postMessage: (message: unknown, origin: string) => void this.posted.push([message, origin]),
    },
  };
  /** The calls of the backend, and those that are not settled. */
  readonly calls: { cache: string; signal: AbortSignal }[] = [];
  /** The tokens that the page got, and what it was told. */
  readonly tokens: string[] = [];
  readonly told: string[] = [];
  /** Makes the next responses. */
  respond: () => TokenResponse | Promise<TokenResponse> = () => issued(`t${this.calls.length}`);
  #listeners = 0;

  constructor() {
    this.#count(this.window);
    this.#count(this.document);
    Object.assign(globalThis, {
      addEventListener: this.window.addEventListener.bind(this.window),
      document: this.document,
    });
  }

  /** The number of listeners that are not removed. */
  get listeners(): number {
    return this.#listeners;
  }

  readonly options: FreshTokenOptions = {
    from: (init) => {
      this.calls.push(init);
      return this.respond();
    },
    onToken: (token) => void this.tokens.push(token),
    onEnd: (reason) => void this.told.push(reason),
    onBack: () => void this.told.push('back'),
  };

  /** The options of a page with a frame. */
  get framed(): FreshTokenOptions & { origin: string } {
    return { ...this.options, frame: this.frame, origin: DASHBOARDS };
  }

  /** A message as the frame sends it, unless something else is said. */
  say(data: unknown, changed: { source?: unknown; origin?: string } = {}): void {
    const message = { source: this.frame.contentWindow, origin: DASHBOARDS, data, ...changed };
    this.window.dispatchEvent(Object.assign(new Event('message'), message));
  }

  /** Shows or hides the page. */
  turn(state: 'hidden' | 'visible'): void {
    this.document.hidden = state === 'hidden';
    this.document.dispatchEvent(new Event('visibilitychange'));
  }

  leave(): void {
    Object.assign(globalThis, { addEventListener: undefined, document: undefined });
  }

  #count(target: EventTarget): void {
    const add = target.addEventListener.bind(target);
    target.addEventListener = (...args: Parameters<typeof add>) => {
      this.#listeners++;
      const { signal } = args[2] as { signal: AbortSignal };
      signal.addEventListener('abort', () => this.#listeners--);
      add(...args);
    };
  }
}

export const issued = (token: string, expires_in: unknown = 600): TokenResponse =>
  Response.json({ token, expires_in });

/** The time passes, with its timers and all that follows from them. */
export const pass = (seconds: number) => jest.advanceTimersByTimeAsync(seconds * 1000);

/** The wall clock alone moves: it is set, or the other one stood still in a sleep. */
export const moveWallClock = (seconds: number) => jest.setSystemTime(Date.now() + seconds * 1000);

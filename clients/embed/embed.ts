/** The response of the backend of the host, as `fetch` returns it: with `{token, expires_in}` as JSON. */
export type TokenResponse = Pick<Response, 'ok' | 'status' | 'json'>;

/** A function of the host that requests a token. It passes `init` on to `fetch`. */
export type RequestToken = (
  init: Record<'cache', 'no-store'> & Record<'signal', AbortSignal>,
) => TokenResponse | PromiseLike<TokenResponse>;

export interface DashboardFrame {
  readonly contentWindow: { postMessage(message: unknown, targetOrigin: string): void } | null;
}

/** `ended`: the viewer may see no dashboard. `network`: the last token has expired, and no request for another succeeds. */
export type TokenEnd = 'ended' | 'network';

export type FreshTokenOptions = {
  /** The backend of the host that issues the token: an address for `POST`, or a function. */
  from: string | RequestToken;
  /** Gets each token, for a page that has no frame. */
  onToken?: (token: string) => void;
  /** Learns why there is no valid token. After `network` the requests go on; after `ended` nothing does. */
  onEnd?: (reason: TokenEnd) => void;
  /** Learns that there is a token again after `network`. */
  onBack?: () => void;
} & ({ frame: DashboardFrame; origin: string } | { frame?: undefined; origin?: undefined });

export interface FreshToken {
  /**
   * Resolves with a valid token as soon as there is one, and with null after the end.
   * @param refused a token that the renderer has refused, in exchange for another
   */
  token: (refused?: string) => Promise<string | null>;
  /** Removes every listener and the timer, and ends the request that is under way. */
  stop: () => void;
}

interface FrameMessage {
  source: unknown;
  origin: string;
  data: { type?: unknown; refused?: unknown } | null;
}

type TokenBody = Record<'token', string> & Record<'expires_in', number>;

function isToken(body: unknown): body is TokenBody {
  const { token, expires_in } = Object(body) as Partial<TokenBody>;
  return typeof token === 'string' && typeof expires_in === 'number' && expires_in > 0;
}

/** The globals of a browser, whose types this file is compiled without: tests run it in Node. */
type Listen = (type: string, hear: (event: never) => void, listening: object) => void;
declare const addEventListener: Listen;
declare const document: { hidden: boolean; addEventListener: Listen };

/** Statuses by which a host says that this viewer gets no token. */
const ENDED = [401, 403, 404, 410];
const TIME_OUT_MS = 10_000;
/** A computer wakes without an event, so the clocks are compared this often. */
const LOOK_MS = 30_000;
/** Clocks drift apart by less than this while a computer is awake. */
const DRIFT_MS = 5000;
const MAX_PAUSE_MS = 60_000;
/** A renderer refuses a new token by then if it refuses all. */
const REFUSED_AGAIN_MS = 10_000;

/** A frame has one token: two helpers would replace the token of each other. */
const frames = new WeakSet<DashboardFrame>();

/**
 * Keeps the token of a page or of one iframe fresh. A frame gets it by `postMessage`, when it asks for it and at each renewal.
 * @throws TypeError for an origin that is not exact, and for a frame that already has a token kept fresh
 */
export function keepTokenFresh(options: FreshTokenOptions): FreshToken {
  const { from, frame, origin, onToken, onEnd, onBack } = options;
  if (frame) {
    // The origin of `*` cannot be parsed, and that of an opaque address is the text `null`.
    if (new URL(origin).origin !== origin) throw new TypeError(`not an origin: ${origin}`);
    if (frames.has(frame)) throw new TypeError('the frame has a token already');
    frames.add(frame);
  }

  const life = new AbortController();
  let token: string | null = null;
  let lifetimeMs = 0;
  /** The two clocks at the request of the token. */
  let begun = 0;
  let begunWall = 0;
  let isRefused = false;
  let isReplacement = false;
  let isFrameReady = false;
  let isLost = false;
  let isOver = false;
  let failures = 0;
  let pending: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waiting: ((token: string | null) => void)[] = [];

  const monotonicAge = () => performance.now() - begun;
  const wallAge = () => Date.now() - begunWall;
  // The monotonic clock may stand still while a computer sleeps, and the wall clock may be set back: the later one counts.
  const age = () => Math.max(monotonicAge(), wallAge());
  const isValid = () => token !== null && !isRefused && age() < lifetimeMs;
  const isDue = () =>
    failures > 0 ||
    isRefused ||
    age() >= 0.8 * lifetimeMs ||
    Math.abs(wallAge() - monotonicAge()) > DRIFT_MS;

  const wait = (ms: number, then: () => void = look) => {
    clearTimeout(timer);
    timer = setTimeout(then, ms);
  };

  const hand = () => {
    if (isFrameReady) {
      frame?.contentWindow?.postMessage({ type: 'token', userGroupToken: token }, origin);
    }
  };

  const release = () => waiting.splice(0).forEach((resolve) => resolve(token));

  const close = () => {
    isOver = true;
    clearTimeout(timer);
    pending?.abort();
    pending = undefined;
    token = null;
    release();
  };

  const end = () => {
    close();
    hand();
    onEnd?.('ended');
  };

  const lose = () => {
    if (isLost || isValid()) return;
    isLost = true;
    onEnd?.('network');
  };

  const fail = () => {
    const pauseMs = Math.min(MAX_PAUSE_MS, 1000 * 2 ** failures++) * (0.5 + Math.random() / 2);
    // The timer that meets the expiry tells it.
    wait(isValid() ? Math.max(500, Math.min(pauseMs, lifetimeMs - age())) : pauseMs);
    lose();
  };

  const take = (body: TokenBody, at: number, atWall: number) => {
    const wasLost = isLost;
    isReplacement = isRefused;
    isRefused = isLost = false;
    failures = 0;
    token = body.token;
    lifetimeMs = body.expires_in * 1000;
    [begun, begunWall] = [at, atWall];
    plan();
    hand();
    release();
    onToken?.(body.token);
    if (wasLost) onBack?.();
  };

  const request = () => {
    const attempt = (pending = new AbortController());
    const [at, atWall] = [performance.now(), Date.now()];
    /** Drops a response that comes after the time-out or the end. */
    const once =
      <T>(then: (value: T) => void) =>
      (value: T) => {
        if (pending !== attempt) return;
        pending = undefined;
        then(value);
      };
    const read = async () => {
      const init = { cache: 'no-store', signal: attempt.signal } as const;
      const response = await (typeof from === 'string'
        ? fetch(from, { ...init, method: 'POST' })
        : from(init));
      // No JSON is undefined.
      if (ENDED.includes(response.status)) return undefined;
      return response.ok && (await response.json());
    };
    const failed = once(fail);
    wait(TIME_OUT_MS, () => {
      failed(undefined);
      attempt.abort();
    });
    read().then(
      once((body) => {
        if (body === undefined) end();
        else if (isToken(body)) take(body, at, atWall);
        else fail();
      }),
      failed,
    );
  };

  const plan = () => wait(Math.min(LOOK_MS, Math.max(1000, 0.8 * lifetimeMs - age())));

  /** Renews the token if it is due, or if the clocks leave that in doubt. */
  const look = () => {
    if (pending || isOver) return;
    const hasFailed = failures > 0;
    if (isDue()) request();
    else plan();
    // A token that expired in a sleep is no failure of the network.
    if (hasFailed) lose();
  };

  const ask = (refused: unknown) => {
    if (token !== null && refused === token && !isRefused) {
      if (isReplacement && monotonicAge() < REFUSED_AGAIN_MS) end();
      else isRefused = true;
    }
    // After a failure the timer alone asks again, however often the frame does.
    if (!isOver && !pending && !failures && !isValid()) request();
  };

  const hear = ({ source, origin: sender, data }: FrameMessage) => {
    // A frame that is not in the page has the window null, and so have some messages.
    const isOfFrame = source && source === frame?.contentWindow && sender === origin;
    if (!isOfFrame || data?.type !== 'token-wanted') return;
    isFrameReady = true;
    // A frame that asks after the end gets null.
    if (isOver) hand();
    else ask(data.refused);
    if (isValid()) hand();
  };

  if (frame) addEventListener('message', hear, life);
  addEventListener('online', look, life);
  addEventListener('pageshow', look, life);
  document.addEventListener('visibilitychange', () => document.hidden || look(), life);
  request();

  return {
    token: (refused) => {
      ask(refused);
      if (isValid() || isOver) return Promise.resolve(token);
      return new Promise((resolve) => waiting.push(resolve));
    },
    stop: () => {
      life.abort();
      close();
      if (frame) frames.delete(frame);
    },
  };
}

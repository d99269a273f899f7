import { type FreshToken, keepTokenFresh } from '../../../clients/embed/embed.ts';
import { DASHBOARDS, FakePage, issued, pass } from './fake-page.ts';

let page: FakePage;
let fresh: FreshToken | undefined;

const WANTED = { type: 'token-wanted' };
const refusal = (refused: string) => ({ ...WANTED, refused });
const handed = (userGroupToken: string | null) => [{ type: 'token', userGroupToken }, DASHBOARDS];

beforeEach(() => {
  jest.useFakeTimers();
  page = new FakePage();
});

afterEach(() => {
  fresh?.stop();
  page.leave();
  jest.useRealTimers();
});

async function start(): Promise<void> {
  fresh = keepTokenFresh(page.framed);
  await pass(0);
}

test('a frame gets no message before it asks, then the token, and each renewal', async () => {
  await start();
  expect(page.posted).toEqual([]);
  page.say(WANTED);
  expect(page.posted).toEqual([handed('t1')]);
  await pass(480);
  expect(page.posted).toEqual([handed('t1'), handed('t2')]);
});

test('a frame that asks before there is a token gets it once it is there', async () => {
  fresh = keepTokenFresh(page.framed);
  page.say(WANTED);
  expect(page.posted).toEqual([]);
  await pass(0);
  expect(page.posted).toEqual([handed('t1')]);
});

test.each([
  ['another window', { source: {} }],
  ['no window', { source: null }],
  ['another origin', { origin: 'https://dashboards.example.com.evil.test' }],
  ['an opaque origin', { origin: 'null' }],
])('a message of %s gets no token', async (_name, changed) => {
  await start();
  page.say(WANTED, changed);
  page.say(refusal('t1'), changed);
  await pass(0);
  expect([page.posted, page.calls.length]).toEqual([[], 1]);
});

test('a message of no window is left alone while the frame is outside of the page', async () => {
  await start();
  Object.assign(page.frame, { contentWindow: null });
  page.say(refusal('t1'), { source: null });
  await pass(0);
  expect([page.posted, page.calls.length]).toEqual([[], 1]);
});

test.each([undefined, null, 'token-wanted', {}, { type: 'token' }])(
  'the message %p is left alone',
  async (data) => {
    await start();
    page.say(data);
    expect(page.posted).toEqual([]);
  },
);

test('a token that the renderer refuses is replaced', async () => {
  await start();
  page.say(refusal('t1'));
  expect(page.posted).toEqual([]);
  await pass(0);
  expect(page.posted).toEqual([handed('t2')]);
});

test('several refusals of one token make one request, also those that come late', async () => {
  await start();
  page.say(refusal('t1'));
  page.say(refusal('t1'));
  await pass(0);
  page.say(refusal('t1'));
  await pass(0);
  expect([page.calls.length, page.told]).toEqual([2, []]);
  expect(page.posted).toEqual([handed('t2'), handed('t2')]);
});

test('a new token that is refused as well is `ended`, for the page and for the frame', async () => {
  await start();
  page.say(refusal('t1'));
  await pass(0);
  page.say(refusal('t2'));
  await pass(0);
  expect(page.told).toEqual(['ended']);
  expect(page.posted).toEqual([handed('t2'), handed(null)]);
  expect(page.calls).toHaveLength(2);
  page.say(WANTED);
  expect(page.posted).toEqual([handed('t2'), handed(null), handed(null)]);
});

test('a replaced token that was good for a while may end early, too', async () => {
  await start();
  page.say(refusal('t1'));
  await pass(10);
  page.say(refusal('t2'));
  await pass(0);
  expect([page.told, page.posted.at(-1)]).toEqual([[], handed('t3')]);
});

test('a refused token for which the host refuses another is `ended`', async () => {
  await start();
  page.respond = () => new Response('{}', { status: 403 });
  page.say(refusal('t1'));
  await pass(0);
  expect([page.told, page.posted]).toEqual([['ended'], [handed(null)]]);
});

test('a frame that asks and asks during failures makes no more requests', async () => {
  page.respond = () => new Response('', { status: 503 });
  await start();
  await pass(60);
  const { length } = page.calls;
  for (let times = 0; times < 50; times++) page.say(WANTED);
  await pass(0);
  expect(page.calls).toHaveLength(length);
  expect(page.posted).toEqual([]);
});

test.each([
  '*',
  '/',
  'null',
  '',
  undefined,
  'https://dashboards.example.com/',
  'https://dashboards.example.com/page',
  'https://user@dashboards.example.com',
  'HTTPS://dashboards.example.com',
  'dashboards.example.com',
  'data:text/html,x',
  'blob:https://dashboards.example.com/1',
  'file:///dashboards',
])('the origin %p is refused', (origin) => {
  const start = () => keepTokenFresh({ ...page.framed, origin: origin! });
  expect(start).toThrow(/^Invalid URL$|^not an origin/);
  expect([page.listeners, page.calls.length]).toEqual([0, 0]);
});

test('a frame has one token at a time', async () => {
  await start();
  expect(() => keepTokenFresh(page.framed)).toThrow('the frame has a token already');
  fresh!.stop();
  page.respond = () => issued('of the next');
  await start();
  page.say(WANTED);
  expect(page.posted).toEqual([handed('of the next')]);
});

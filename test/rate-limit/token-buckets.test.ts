import { type Bucket, TokenBuckets } from '../../src/platform/common/concurrency/token-buckets.ts';

let now = 0;
let buckets: TokenBuckets;

beforeEach(() => {
  now = 1_800_000_000_000;
  buckets = new TokenBuckets();
  jest.spyOn(buckets, 'now').mockImplementation(() => now);
});

const bucket = (perMinute: number, key = 'a', reserve = 0): Bucket => ({ key, perMinute, reserve });

function take(of: Bucket, wanted = 1) {
  const { granted, states } = buckets.take([of], wanted);
  return { granted, ...states[0]! };
}

test('a full bucket gives all its tokens at once, and then one for each interval', () => {
  const ofMinute = bucket(6000);
  expect(take(ofMinute, 10_000)).toEqual({
    granted: 6000,
    remaining: 0,
    resetMs: 60_000,
    retryMs: 10,
  });
  expect(take(ofMinute)).toMatchObject({ granted: 0, remaining: 0, retryMs: 10 });
  now += 9;
  expect(take(ofMinute)).toMatchObject({ granted: 0, retryMs: 1 });
  now += 1;
  expect(take(ofMinute)).toMatchObject({ granted: 1, remaining: 0, retryMs: 10 });
  now += 2500;
  expect(take(ofMinute, 1000)).toMatchObject({ granted: 250, resetMs: 60_000 });
  now += 30_000;
  expect(take(ofMinute, 0)).toEqual({ granted: 0, remaining: 3000, resetMs: 30_000, retryMs: 0 });
  now += 3_600_000;
  expect(take(ofMinute, 10_000)).toMatchObject({ granted: 6000 });
});

test('at the time that was told there is a token, for any limit', () => {
  for (const perMinute of [1, 2, 3, 7, 11, 59, 60, 61, 999, 6000, 7777, 1_000_003]) {
    const limit = bucket(perMinute, `limit ${perMinute}`);
    expect(take(limit, Infinity).granted).toBe(perMinute);
    for (let turns = 0; turns < 200; turns++) {
      const { granted, retryMs } = take(limit);
      now += 0.99 * retryMs;
      const early = take(limit);
      now += early.retryMs;
      expect([perMinute, granted, early.granted, take(limit).granted]).toEqual([
        perMinute,
        0,
        0,
        1,
      ]);
    }
  }
});

test('a caller that asks steadily at the rate of the limit is never refused, after any burst', () => {
  const limit = bucket(120);
  take(limit, 120);
  for (let second = 0; second < 300; second++) {
    now += 1000;
    expect(take(limit, 2)).toMatchObject({ granted: 2, remaining: 0 });
    expect(take(limit)).toMatchObject({ granted: 0, retryMs: 500 });
  }
});

test('asking in vain costs nothing', () => {
  const limit = bucket(60);
  take(limit, 60);
  for (let times = 0; times < 1000; times++) expect(take(limit).granted).toBe(0);
  now += 1000;
  expect(take(limit).granted).toBe(1);
});

test('several buckets give alike: what one has not, is taken from none', () => {
  const [small, large] = [bucket(10, 'small'), bucket(100, 'large')];
  expect(buckets.take([small, large], 4)).toMatchObject({
    granted: 4,
    states: [{ remaining: 6 }, { remaining: 96 }],
  });
  expect(buckets.take([small, large], 50).granted).toBe(6);
  const refused = buckets.take([small, large], 1);
  expect(refused).toMatchObject({
    granted: 0,
    states: [{ remaining: 0 }, { remaining: 90, retryMs: 0 }],
  });
  expect(refused.states[0]!.retryMs).toBeCloseTo(6000);
});

test('a reserve is left to those who do not keep it', () => {
  expect(take(bucket(40, 'a', 4), 100)).toMatchObject({ granted: 36, remaining: 4, retryMs: 1500 });
  expect(take(bucket(40, 'a', 4))).toMatchObject({ granted: 0, remaining: 4 });
  expect(take(bucket(40), 3)).toMatchObject({ granted: 3, remaining: 1, retryMs: 0 });
  expect(take(bucket(40, 'a', 4))).toMatchObject({ granted: 0, remaining: 1, retryMs: 6000 });
});

test('a clock that is set back takes nothing from a bucket', () => {
  const own = new TokenBuckets();
  const takeOne = () => own.take([bucket(60)], 1).granted;
  expect(takeOne()).toBe(1);
  const before = Date.now();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(before - 3_600_000);
  expect([takeOne(), takeOne()]).toEqual([1, 1]);
  clock.mockRestore();
});

test('of more keys than it can keep it forgets those that were idle longest', () => {
  take(bucket(2, 'limit:busy'), 2);
  take(bucket(2, 'limit:idle'), 2);
  for (let n = 0; n < 30_000; n++) {
    take(bucket(2, `limit:2001:db8:0:${n.toString(16)}::/64`));
    if (n % 1000 === 0) take(bucket(2, 'limit:busy'));
  }
  expect(take(bucket(2, 'limit:busy')).granted).toBe(0);
  expect(take(bucket(2, 'limit:idle')).granted).toBe(1);
});

test('any number of strangers leaves the counts of an API token and its workspace as they are', () => {
  const own = [bucket(600, 'api-token:7'), bucket(3000, 'workspace:1')];
  expect(buckets.take(own, 600).granted).toBe(600);
  for (let stranger = 0; stranger < 20_000; stranger++) {
    take(bucket(60, `failed-authentication:10.0.0.${stranger}`));
  }
  expect(buckets.take(own, 1).granted).toBe(0);
  expect(buckets.take(own, 0).states.map(({ remaining }) => remaining)).toEqual([0, 2400]);
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentRevision, lastLanded } from '../../bench/revisions.mjs';
import { verdictOf } from '../../bench/summary.mjs';

describe('the verdict of the benchmark', () => {
  const verdict = (pairs: [number, number][]) => {
    const turns = pairs.map(([service, before]) => ({
      service: { requestsPerSecond: service },
      before: { requestsPerSecond: before },
    }));
    return verdictOf({ create: turns })[0]!;
  };
  const MACHINES = [1, 7, 0.2, 900, 30];

  test.each([
    [0.95, true],
    [0.969, true],
    [0.971, false],
    [1, false],
    [1.2, false],
  ])(
    'of a service with %d of the speed before, on a machine that changes from round to round',
    (share, isSlower) => {
      const its = verdict(MACHINES.map((speed) => [share * speed, speed]));
      expect(its).toMatchObject({ operation: 'create', isSlower });
      expect(its.median).toBeCloseTo(share);
    },
  );

  test('ignores rounds in which one side was disturbed, if they are less than half', () => {
    const even = MACHINES.map((speed): [number, number] => [speed, speed]);
    const disturbed = MACHINES.map((speed): [number, number] => [speed, 9 * speed]);
    expect(verdict([...even, ...disturbed.slice(1)]).isSlower).toBe(false);
    expect(verdict([...even.slice(1), ...disturbed]).isSlower).toBe(true);
  });

  /** Ratios that are spread evenly around the middle. */
  const spread = (middle: number, noise: number, rounds: number) =>
    verdict(
      Array.from(
        { length: rounds },
        (_, index) => [middle + noise * ((2 * index + 1) / rounds - 1), 1] as [number, number],
      ),
    );

  test.each([
    [1, 0.05, 24, true],
    [1, 0.1, 16, false],
    [1, 0.1, 100, true],
    [1, 0.3, 100, false],
    [0.93, 0.05, 16, true],
    [0.95, 0.05, 64, true],
    [0.95, 0.3, 100, false],
    [0.975, 0.05, 40, false],
    [1, 0, 6, false],
  ])(
    'is settled when the noise cannot have made it: %d ± %d in %d rounds',
    (middle, noise, rounds, isSettled) => {
      expect(spread(middle, noise, rounds)).toMatchObject({ isSettled, isSlower: middle < 0.97 });
    },
  );

  test('is not passed by what was never measured', () => {
    expect(verdict([]).isSlower).toBe(true);
    expect(verdict([[NaN, NaN]]).isSlower).toBe(true);
  });
});

describe('without a named revision the benchmark compares with', () => {
  let directory: string;
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    ).trim();
  const write = (version: string) => {
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ version }));
  };
  const commit = (version: string) => {
    write(version);
    git('add', '.');
    git('commit', '--quiet', '--allow-empty', '--message', version);
    return git('rev-parse', 'HEAD');
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'user-groups-landed-'));
    git('init', '--quiet', '--initial-branch', 'main');
  });

  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  test('the release before that of its own version, at its tag and before it has one', () => {
    commit('0.1.0');
    git('tag', 'v0.1.0');
    commit('0.2.0');
    git('tag', 'no-release');
    expect(lastLanded(directory)).toBe('v0.1.0');
    git('tag', 'v0.2.0');
    expect(lastLanded(directory)).toBe('v0.1.0');
    write('0.3.0');
    expect(lastLanded(directory)).toBe('v0.2.0');
  });

  test('the commit before, or the commit itself if a file has changed since', () => {
    const before = commit('0.1.0');
    const head = commit('0.1.1');
    expect(lastLanded(directory)).toBe(before);
    expect(currentRevision(directory)).toBe(git('rev-parse', '--short', 'HEAD'));
    write('0.1.2');
    expect(lastLanded(directory)).toBe(head);
    expect(currentRevision(directory)).toMatch(/^[0-9a-f]+-dirty$/);
  });

  test('the commit at which the branch has left that of its origin', () => {
    const landed = commit('0.1.0');
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
    commit('0.1.1');
    commit('0.1.2');
    expect(lastLanded(directory)).toBe(landed);
  });

  test('nothing, and says so, where there is no other commit', () => {
    commit('0.1.0');
    expect(() => lastLanded(directory)).toThrow('--against');
  });
});

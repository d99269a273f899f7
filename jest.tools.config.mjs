import { availableParallelism } from 'node:os';
import base from './jest.config.mjs';

/**
 * Tests that need more than Node: a browser, curl, Python.
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testPathIgnorePatterns: ['/node_modules/'],
  // A browser is several processes by itself.
  maxWorkers: availableParallelism(),
};

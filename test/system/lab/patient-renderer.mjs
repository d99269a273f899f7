// Preloaded into a renderer that imports the built client, by `node --import`: on a busy machine an introspection takes
// longer than its limit.
import { INTROSPECTION_LIMIT } from '../../../dist/clients/typescript/cached-introspector.js';

INTROSPECTION_LIMIT.ms = 100_000;

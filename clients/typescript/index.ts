export {
  CachedIntrospector,
  type CachedIntrospectorOptions,
  type Introspection,
  IntrospectionRefused,
} from './cached-introspector.js';
export { type Client, type ClientOptions, createClient, type Schemas } from './client.js';

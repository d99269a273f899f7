// The package has no types.

declare module 'swagger-ui-dist/absolute-path.js' {
  /** The directory of its files. */
  export default function getAbsoluteFSPath(): string;
}

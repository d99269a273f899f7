import type { Application, Request, RequestHandler } from 'express';

export interface Layer {
  match: (path: string) => unknown;
  route?: {
    path: string | string[];
    methods: Record<string, boolean>;
    stack: { method?: string; handle: RequestHandler }[];
  };
}

export function stackOf(app: Application): Layer[] {
  return (app.router as unknown as { stack: Layer[] }).stack;
}

export interface StaticRoute {
  route: NonNullable<Layer['route']>;
  handle: RequestHandler;
}

/** Matches a path without parameters or wildcards. */
const WITHOUT_PARAMETERS = /^[\w/.-]+$/;

/**
 * Finds the handler of a route without parameters by its method and path alone. Express asks each layer in turn; for
 * such a route the result is always the same, so the layers determine it once. Express still routes every other
 * request, and a route with anything before it.
 */
export class StaticRoutes {
  private readonly byPath = new Map<string, Map<string, StaticRoute>>();

  /** @param layers of Express's router, in order, without those that only pass requests on */
  constructor(private readonly layers: readonly Layer[]) {
    const routes = layers.flatMap(({ route }) => route ?? []);
    for (const route of routes) {
      const methods = Object.keys(route.methods).map((method) => method.toUpperCase());
      for (const path of [route.path].flat().filter((one) => WITHOUT_PARAMETERS.test(one))) {
        for (const method of methods) this.add(method, path);
      }
    }
  }

  /** Returns undefined if Express routes the request. */
  find({ method, url }: Request): StaticRoute | undefined {
    const end = url.indexOf('?');
    return this.byPath.get(end === -1 ? url : url.slice(0, end))?.get(method);
  }

  private add(method: string, path: string): void {
    const route = this.firstRoute(method, path);
    if (!route || ![route.path].flat().includes(path) || route.stack.length !== 1) return;
    const byMethod = this.byPath.get(path) ?? new Map<string, StaticRoute>();
    byMethod.set(method, { route, handle: route.stack[0]!.handle });
    this.byPath.set(path, byMethod);
  }

  /** Returns the route that Express would reach first; undefined if it would reach something else. */
  private firstRoute(method: string, path: string): Layer['route'] {
    const handles = ({ route }: Layer) =>
      !route || route.methods['_all'] === true || route.methods[method.toLowerCase()] === true;
    return this.layers.find((layer) => handles(layer) && Boolean(layer.match(path)))?.route;
  }
}

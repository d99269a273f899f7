import type { RequestHandler } from 'express';

/** Makes a handler that redirects to a place relative to the path, so that it works below any path of a proxy. */
export function leadTo(place: string): RequestHandler {
  return (_request, response) => {
    response.status(302).setHeader('Location', place).end();
  };
}

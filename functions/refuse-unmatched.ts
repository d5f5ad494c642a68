/** Answers what no route takes: 405 for a known path with another method, 404 for every other path. */
import { unmatchedError } from '../shared/http/refuse-unmatched.ts';
import { httpFunction } from '../shared/http.ts';
import { routes, unmatchedRoute } from '../shared/routes.ts';

export const handler = httpFunction(
  unmatchedRoute,
  async ({ method, path }) => {
    throw unmatchedError(method, path, Object.values(routes));
  },
  { formats: [] },
);

/** Answers what no route takes: 405 for a known path with another method, 404 for every other path. */

import { routes, unmatchedRoute } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { unmatchedError } from '../shared/http/refuse-unmatched.ts';

export const handler = httpFunction(
  unmatchedRoute,
  async ({ method, path }) => {
    throw unmatchedError(method, path, Object.values(routes));
  },
  { formats: [] },
);

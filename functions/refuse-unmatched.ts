/** Responds to every request without a route: 405 for a known path, 404 for every other path. */
import { routes, unmatchedRoute } from '../shared/contract/routes.ts';
import { publicHttpFunction } from '../shared/http/http-function.ts';
import { unmatchedError } from '../shared/http/match-route.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

export const handler = publicHttpFunction(
  contextOf(environmentOf<'refuse-unmatched'>()),
  unmatchedRoute,
  async ({ method, path }) => {
    throw unmatchedError(Object.values(routes), method, path);
  },
  { formats: [] },
);

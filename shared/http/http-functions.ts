/** One Lambda function for several routes, which have the same rights: each request goes to the operation of its route. */
import { type Route, type RouteName, routes, type Scope } from '../contract/routes.ts';
import type { Operation } from '../operation/operation.ts';
import { type HttpDependencies, type HttpFunction, httpFunction } from './http-function.ts';

/** The routes that need a token. */
type ScopedRouteName = {
  [Name in RouteName]: (typeof routes)[Name]['scope'] extends Scope ? Name : never;
}[RouteName];

export function httpFunctions(
  operations: Readonly<Partial<Record<ScopedRouteName, Operation>>>,
  dependencies: HttpDependencies,
): HttpFunction {
  const functions = new Map(
    (Object.entries(operations) as [ScopedRouteName, Operation][]).map(([name, operation]) => {
      const route: Route & { readonly scope: Scope } = routes[name];
      return [`${route.method} ${route.path}`, httpFunction(route, operation, { dependencies })];
    }),
  );
  return async (event, context) => {
    // HEAD is answered as GET.
    const method = event.httpMethod === 'HEAD' ? 'GET' : event.httpMethod;
    const found = functions.get(`${method} ${event.resource}`);
    if (found === undefined) throw new Error(`${method} ${event.resource} is not a route of this function`);
    return found(event, context);
  };
}

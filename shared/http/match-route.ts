/** Finds the route of a request by API Gateway's rules, or else throws 405 or 404. */
import { errorTexts, GatewayError } from '../contract/errors.ts';

/** @throws GatewayError `method_not_allowed` with the methods of this path, or `not_found` */
export function matchRoute<R extends { readonly method: string; readonly path: string }>(
  routes: readonly R[],
  method: string,
  path: string,
): { readonly route: R; readonly pathParameters: Readonly<Record<string, string>> } {
  // RFC 9110, section 9.3.2: HEAD is GET without the content.
  const wanted = method === 'HEAD' ? 'GET' : method;
  const isLiteral = routes.some((route) => route.path === path);
  for (const route of routes) {
    if (isLiteral && route.path !== path) continue;
    const pathParameters = route.method === wanted ? matchPath(route.path, path) : undefined;
    if (pathParameters !== undefined) return { route, pathParameters };
  }
  throw unmatchedError(routes, method, path);
}

export function unmatchedError(
  routes: readonly { readonly method: string; readonly path: string }[],
  method: string,
  path: string,
): GatewayError {
  const matching = routes.filter((route) => matchPath(route.path, path) !== undefined);
  // If a path is itself a route, API Gateway accepts only its methods, even if a template also matches the path.
  const literal = matching.filter((route) => route.path === path);
  const methods = new Set(
    (literal.length > 0 ? literal : matching).flatMap((route) =>
      route.method === 'GET' ? ['GET', 'HEAD'] : [route.method],
    ),
  );
  if (methods.size === 0 || methods.has('ANY')) {
    return new GatewayError('not_found', `There is no ${path}.`);
  }
  const allow = [...methods].toSorted().join(', ');
  // HEAD gets the same error text as GET, because it states the length of GET's response.
  const named = method === 'HEAD' ? 'GET' : method;
  return new GatewayError('method_not_allowed', errorTexts.method_not_allowed(path, named, allow), {
    headers: { Allow: allow },
  });
}

/** Returns the values of a template's parameters: `{name}` is one segment that is not empty, and `{name+}` one or more. */
function matchPath(template: string, path: string): Readonly<Record<string, string>> | undefined {
  const expected = template.split('/');
  const given = path.split('/');
  const parameters: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    const value = given[index];
    if (value === undefined) return undefined;
    const [, name, many] = /^\{(.+?)(\+)?\}$/.exec(segment) ?? [];
    if (name === undefined) {
      if (value !== segment) return undefined;
    } else if (many !== undefined) {
      return { ...parameters, [name]: given.slice(index).join('/') };
    } else {
      if (value === '') return undefined;
      parameters[name] = value;
    }
  }
  return given.length === expected.length ? parameters : undefined;
}

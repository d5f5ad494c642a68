/** Says what is wrong with a request that no route takes: the method (405, with those that work) or the path (404). */
import { GatewayError } from '../contract/errors.ts';
import type { Route } from '../contract/routes.ts';

export function unmatchedError(
  method: string,
  path: string,
  known: readonly Pick<Route, 'method' | 'path'>[],
): GatewayError {
  const methods = new Set(
    known.filter((route) => pathMatches(route.path, path)).map((route) => route.method),
  );
  if (methods.size === 0 || methods.has('ANY')) {
    return new GatewayError('not_found', `There is no ${path}.`);
  }
  const allow = [...methods].toSorted().join(', ');
  return new GatewayError('method_not_allowed', `${path} does not take ${method}. It takes ${allow}.`, {
    headers: { Allow: allow },
  });
}

/** By API Gateway's rules: `{name}` is one segment that is not empty, `{name+}` one or more. */
function pathMatches(template: string, path: string): boolean {
  const wanted = template.split('/');
  const given = path.split('/');
  for (const [index, segment] of wanted.entries()) {
    if (segment.endsWith('+}')) return given.length > index;
    const value = given[index];
    if (value === undefined || (segment.startsWith('{') ? value === '' : value !== segment)) return false;
  }
  return given.length === wanted.length;
}

import { expect, it } from '@jest/globals';
import { matchRoute } from '../../../shared/http/match-route.ts';

const routes = [
  { method: 'GET', path: '/a' },
  { method: 'POST', path: '/a/{id}/b' },
  { method: 'GET', path: '/a/{id}/b/{other}' },
  { method: 'GET', path: '/files/{proxy+}' },
] as const;

it.each([
  ['GET', '/a', '/a', {}],
  ['HEAD', '/a', '/a', {}],
  ['POST', '/a/1/b', '/a/{id}/b', { id: '1' }],
  ['GET', '/a/1%2F2/b/3', '/a/{id}/b/{other}', { id: '1%2F2', other: '3' }],
  ['GET', '/files/x/y', '/files/{proxy+}', { proxy: 'x/y' }],
])('%s %s is the route %s', (method, path, expected, pathParameters) => {
  const match = matchRoute(routes, method, path);
  expect([match.route.path, match.pathParameters]).toEqual([expected, pathParameters]);
});

it.each([
  ['POST', '/a', 'method_not_allowed', { Allow: 'GET, HEAD' }],
  ['DELETE', '/a/1/b', 'method_not_allowed', { Allow: 'POST' }],
  ['GET', '/a/', 'not_found', {}],
  ['POST', '/a//b', 'not_found', {}],
  ['GET', '/files', 'not_found', {}],
  ['GET', '/{id}', 'not_found', {}],
])('%s %s has no route: %s', (method, path, code, headers) => {
  expect(() => matchRoute(routes, method, path)).toThrow(expect.objectContaining({ code, headers }));
});

/**
 * Builds the API's body: an OpenAPI document from which API Gateway creates every resource, method and gateway response. It
 * is generated from only the route table, so it changes only with the routes or these responses.
 *
 * Why: docs/decisions/api-from-one-body.md
 */
import { Aws } from 'aws-cdk-lib';
import {
  adminRoutes,
  carrierRoutes,
  type Route,
  routes,
  unmatchedRoute,
} from '../../../shared/contract/routes.ts';
import { gatewayResponses } from './gateway-responses.ts';

const handled: readonly Route[] = [
  ...Object.values(routes),
  ...Object.values(adminRoutes),
  ...Object.values(carrierRoutes),
];

/** Returns the stage variable that contains a function's name. It may contain only letters, digits and `_`. */
export function handlerVariable(functionName: string): string {
  return functionName.replaceAll('-', '_');
}

/** Returns the API's body, whose title becomes the API's name, by which alarms find the API. */
export function apiBody(
  title: string,
  binaryMediaTypes: readonly string[],
): Readonly<Record<string, unknown>> {
  return {
    openapi: '3.0.1',
    info: { title, version: '1' },
    paths: paths(),
    'x-amazon-apigateway-binary-media-types': binaryMediaTypes,
    'x-amazon-apigateway-gateway-responses': gatewayResponses(),
  };
}

function paths(): Record<string, Record<string, Readonly<Record<string, unknown>>>> {
  const all: Record<string, Record<string, Readonly<Record<string, unknown>>>> = {};
  const add = (path: string, key: string, functionName: string): void => {
    all[path] = { ...all[path], [key]: operation(path, functionName) };
  };
  // The methods of a path take precedence over its ANY.
  for (const path of ['/', unmatchedRoute.path, ...handled.flatMap((route) => pathAndParents(route.path))])
    add(path, methodKey('ANY'), unmatchedRoute.functionName);
  for (const { method, path, functionName } of handled) {
    add(path, methodKey(method), functionName);
    // Every path with GET also has HEAD (contract 1.4).
    if (method === 'GET') add(path, methodKey('HEAD'), functionName);
  }
  return all;
}

function pathAndParents(path: string): string[] {
  const segments = path.split('/').filter(Boolean);
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`);
}

function methodKey(method: Route['method'] | 'HEAD'): string {
  return method === 'ANY' ? 'x-amazon-apigateway-any-method' : method.toLowerCase();
}

function operation(path: string, functionName: string): Readonly<Record<string, unknown>> {
  const names = Array.from(path.matchAll(/\{(\w+)\+?\}/g), ([, name]) => name);
  return {
    ...(names.length > 0 && {
      parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    }),
    // OpenAPI requires a response here, but the function determines the actual response.
    responses: { 200: { description: '200 response' } },
    'x-amazon-apigateway-integration': {
      type: 'aws_proxy',
      httpMethod: 'POST',
      passthroughBehavior: 'when_no_match',
      uri: functionUri(functionName),
    },
  };
}

/**
 * Returns a function's URI, with its name in a stage variable. A reference would make the API depend on every function, and
 * functions already depend on the API's address.
 */
function functionUri(functionName: string): string {
  const called = `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:\${stageVariables.${handlerVariable(functionName)}}`;
  return `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/2015-03-31/functions/${called}/invocations`;
}
